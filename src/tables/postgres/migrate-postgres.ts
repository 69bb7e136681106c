import type { Database } from '../../ports/database.ts'
import { openRecord, runOnce } from '../migrate.ts'
import tables from './008-tables.sql' with { type: 'text' }
import { beginDay } from './event-days.ts'

/** In order, and never changed once released. There was no PostgreSQL before the first of them. */
const MIGRATIONS = [{ version: 8, name: 'tables', script: tables }] as const

/** Brings the tables to the form this code expects. Any number of processes may do it at once. */
export async function migratePostgres(db: Database, nowMs: number): Promise<void> {
  await openRecord(db)
  for (const migration of MIGRATIONS) await db.transaction((tx) => runOnce(tx, migration))
  await db.transaction((tx) => beginDay(tx, nowMs))
}
