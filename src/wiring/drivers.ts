import type { AccountStores } from '../ports/account-store.ts'
import type { BlockProver } from '../ports/block-prover.ts'
import type { Clock } from '../ports/clock.ts'
import type { Database, StoreHealth } from '../ports/database.ts'
import type { Egress } from '../ports/egress.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Outbound } from '../ports/outbound.ts'
import type { DerivedKeys, Secrets } from '../ports/secrets.ts'
import type { Signals } from '../ports/signals.ts'
import type { Sockets } from '../ports/sockets.ts'
import type { SpillFiles } from '../ports/spill.ts'
import type { Telemetry } from '../ports/telemetry.ts'

/** One driver for each port: all that the service knows of where it runs. */
export type Drivers = {
  accountStores: AccountStores
  clock: Clock
  database: Database
  egress: Egress
  entropy: Entropy
  outbound: Outbound
  prover: BlockProver
  secrets: Secrets & DerivedKeys
  signals: Signals
  sockets: Sockets
  spill: SpillFiles
  storeHealth: StoreHealth
  telemetry: Telemetry
}
