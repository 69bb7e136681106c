import type { Database } from '../../ports/database.ts'
import { type Migration, openRecord, runOnce } from '../migrate.ts'
import baseline from './017-baseline.sql' with { type: 'text' }
import noSentTransactions from './018-no-sent-transactions.sql' with { type: 'text' }
import eventStreams from './019-event-streams.sql' with { type: 'text' }
import { beginDay } from './event-days.ts'

/** In order, and never changed once released. The first one creates the tables of 0.3.0. */
export const POSTGRES_MIGRATIONS: readonly Migration[] = [
  { version: 17, name: 'baseline', script: baseline },
  { version: 18, name: 'no sent transactions', script: noSentTransactions },
  { version: 19, name: 'event streams', script: eventStreams },
]

/** Brings the tables to the form this code expects. Any number of processes may do it at once. */
export async function migratePostgres(db: Database, nowMs: number): Promise<void> {
  await openRecord(db, POSTGRES_MIGRATIONS)
  for (const migration of POSTGRES_MIGRATIONS) await db.transaction((tx) => runOnce(tx, migration))
  await db.transaction((tx) => beginDay(tx, nowMs))
}
