import type { AccountStores } from '../ports/account-store.ts'
import type { BlockProver } from '../ports/block-prover.ts'
import type { StoreHealth } from '../ports/database.ts'
import type { Egress } from '../ports/egress.ts'
import type { Outbound } from '../ports/outbound.ts'
import type { Sockets } from '../ports/sockets.ts'
import type { SpillFiles } from '../ports/spill.ts'
import type { World } from '../ports/world.ts'

export type Drivers = World & {
  accountStores: AccountStores
  egress: Egress
  outbound: Outbound
  prover: BlockProver
  sockets: Sockets
  spill: SpillFiles
  storeHealth: StoreHealth
}
