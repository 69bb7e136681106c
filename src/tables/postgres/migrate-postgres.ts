import type { Database } from '../../ports/database.ts'
import { openRecord, runOnce } from '../migrate.ts'
import tables from './008-tables.sql' with { type: 'text' }
import backlogParts from './009-backlog-parts.sql' with { type: 'text' }
import followers from './010-followers.sql' with { type: 'text' }
import sessions from './011-sessions.sql' with { type: 'text' }
import callStats from './012-call-stats.sql' with { type: 'text' }
import live from './013-live.sql' with { type: 'text' }
import verified from './014-verified.sql' with { type: 'text' }
import { beginDay } from './event-days.ts'

/** In order, and never changed once released. There was no PostgreSQL before the first of them. */
const MIGRATIONS = [
  { version: 8, name: 'tables', script: tables },
  { version: 9, name: 'backlog parts', script: backlogParts },
  { version: 10, name: 'followers', script: followers },
  { version: 11, name: 'sessions', script: sessions },
  { version: 12, name: 'call stats', script: callStats },
  { version: 13, name: 'live', script: live },
  { version: 14, name: 'verified', script: verified },
] as const

/** Brings the tables to the form this code expects. Any number of processes may do it at once. */
export async function migratePostgres(db: Database, nowMs: number): Promise<void> {
  await openRecord(db)
  for (const migration of MIGRATIONS) await db.transaction((tx) => runOnce(tx, migration))
  await db.transaction((tx) => beginDay(tx, nowMs))
}
