import type { LimitExchange } from '../metering/limit-exchange.ts'
import type { Database } from '../ports/database.ts'
import type { Descriptors } from '../ports/descriptors.ts'
import type { MachineSignals } from '../ports/signals.ts'
import { refuseUnfinishedMigration } from '../tables/store-migration/migrate-tables.ts'
import type { Drivers } from './drivers.ts'

export type ProcessDrivers = Drivers & {
  descriptors: Descriptors
  signals: MachineSignals
  /** The name under which it holds leases: no other process that runs is called so. */
  name: string
  migrate(database: Database): Promise<void>
  /** Shares limits with other processes that serve; null where there are none. */
  exchange: LimitExchange | null
  /** For the lines of processes that write through this one. */
  writeLog(lines: string | Uint8Array): void | Promise<void>
  close(): Promise<void>
}

type Needs = Pick<ProcessDrivers, 'database' | 'migrate'>

export async function upgradeStore({ database, migrate }: Needs): Promise<void> {
  await migrate(database)
  await refuseUnfinishedMigration(database)
}
