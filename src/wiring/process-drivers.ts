import type { LimitExchange } from '../metering/limit-exchange.ts'
import type { Database } from '../ports/database.ts'
import type { Descriptors } from '../ports/descriptors.ts'
import { refuseUnfinishedMigration } from '../tables/store-migration/migrate-tables.ts'
import type { Drivers } from './drivers.ts'

/** The drivers of this process, with what only its start, its edge and its end need. */
export type ProcessDrivers = Drivers & {
  descriptors: Descriptors
  /** The name under which it holds leases: no other process that runs is called so. */
  name: string
  /** Brings the tables, new or of an earlier version, to the form that this version works with. */
  migrate(database: Database): Promise<void>
  /** Shares limits with other processes that serve; null where there are none. */
  exchange: LimitExchange | null
  /** For the lines of processes that write through this one. */
  writeLog(lines: string | Uint8Array): void | Promise<void>
  /** Closes the store and the ways out, and writes the last lines of the log. */
  close(): Promise<void>
}

type Needs = Pick<ProcessDrivers, 'database' | 'migrate'>

/** Brings a store, new or of an earlier version, to the form that this version works with. */
export async function upgradeStore({ database, migrate }: Needs): Promise<void> {
  await migrate(database)
  await refuseUnfinishedMigration(database)
}
