import type { LimitExchange } from '../metering/limit-exchange.ts'
import type { AccountStores } from '../ports/account-store.ts'
import type { BlockProver } from '../ports/block-prover.ts'
import type { Database, StoreHealth } from '../ports/database.ts'
import type { Descriptors } from '../ports/descriptors.ts'
import type { Egress } from '../ports/egress.ts'
import type { Outbound } from '../ports/outbound.ts'
import type { MachineSignals } from '../ports/signals.ts'
import type { Sockets } from '../ports/sockets.ts'
import type { SpillFiles } from '../ports/spill.ts'
import type { World } from '../ports/world.ts'
import { refuseUnfinishedMigration } from '../tables/store-migration/migrate-tables.ts'

export type ProcessDrivers = World & {
  accountStores: AccountStores
  descriptors: Descriptors
  egress: Egress
  outbound: Outbound
  prover: BlockProver
  signals: MachineSignals
  sockets: Sockets
  spill: SpillFiles
  storeHealth: StoreHealth
  /** The name under which it holds leases: no other process that runs is called so. */
  name: string
  migrate(database: Database): Promise<void>
  /** Shares limits with other processes that serve; null where there are none. */
  exchange: LimitExchange | null
  /** For the lines of processes that write through this one. */
  writeLog(lines: string | Uint8Array): void | Promise<void>
  close(): Promise<void>
}

export async function upgradeStore({ database, migrate }: ProcessDrivers): Promise<void> {
  await migrate(database)
  await refuseUnfinishedMigration(database)
}
