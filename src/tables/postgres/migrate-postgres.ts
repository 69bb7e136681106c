import type { Database } from '../../ports/database.ts'
import { openRecord, runOnce } from '../migrate.ts'
import { beginDay } from './event-days.ts'
import { POSTGRES_MIGRATIONS } from './postgres-migrations.ts'

/** Brings the tables to the form this code expects. Any number of processes may do it at once. */
export async function migratePostgres(db: Database, nowMs: number): Promise<void> {
  await openRecord(db)
  for (const migration of POSTGRES_MIGRATIONS) await db.transaction((tx) => runOnce(tx, migration))
  await db.transaction((tx) => beginDay(tx, nowMs))
}
