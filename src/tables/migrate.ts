import { assert, Failure } from '../core/errors.ts'
import { type Database, type Procedure, type Sql, sql } from '../ports/database.ts'
import baseline from './migrations/017-baseline.sql' with { type: 'text' }
import noSentTransactions from './migrations/018-no-sent-transactions.sql' with { type: 'text' }
import eventStreams from './migrations/019-event-streams.sql' with { type: 'text' }
import { splitStatements } from './sql/split-statements.ts'

export type Migration = { version: number; name: string; script: string }

/** In order, and never changed once released. The first one creates the tables of 0.3.0. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 17, name: 'baseline', script: baseline },
  { version: 18, name: 'no sent transactions', script: noSentTransactions },
  { version: 19, name: 'event streams', script: eventStreams },
]

/** Brings the tables to the form this code expects. Any number of processes may do it at once. */
export async function migrate(db: Database): Promise<void> {
  await openRecord(db, MIGRATIONS)
  for (const { version } of MIGRATIONS) await db.perform(applyMigration, [version])
}

/** One migration, as a whole or not at all. */
export const applyMigration: Procedure<[version: number], void> = {
  name: 'applyMigration',
  async run(tx, [version]) {
    const migration = MIGRATIONS.find((one) => one.version === version)
    assert(migration !== undefined, 'a migration is known by its version')
    await runOnce(tx, migration)
  },
}

/** Creates the record of migrations, and refuses one that these migrations cannot continue. */
export async function openRecord(db: Database, migrations: readonly Migration[]): Promise<void> {
  const create = sql`
    CREATE TABLE IF NOT EXISTS migrations (version BIGINT PRIMARY KEY, name TEXT NOT NULL)`
  // If two processes create it at the same moment, PostgreSQL lets one of them fail in spite of
  // IF NOT EXISTS. Its second try finds the table.
  await db.query(create).catch(() => db.query(create))

  const [last] = await db.query<{ version: number }>(sql`
    SELECT version FROM migrations ORDER BY version DESC LIMIT 1`)
  if (!last) return
  const first = migrations[0]?.version ?? 0
  const known = migrations.at(-1)?.version ?? 0
  if (last.version < first) {
    throw new Failure('start_failed', {
      reason:
        `the store was written by a version before 0.3.0 (its tables have version ${last.version}, ` +
        `and this program needs ${first}). Upgrade with 0.3.0 first: start 0.3.0 once on this ` +
        'store, stop it, and start this version again',
    })
  }
  if (last.version <= known) return
  throw new Failure('start_failed', {
    reason: 'the database was written by a newer version',
    databaseVersion: last.version,
    codeVersion: known,
  })
}

/** Runs a script unless it is recorded. Recording it first makes a second process wait. */
export async function runOnce(tx: Database, { version, name, script }: Migration): Promise<void> {
  const recorded = await tx.query(sql`
    INSERT INTO migrations (version, name) VALUES (${version}, ${name})
    ON CONFLICT (version) DO NOTHING RETURNING version`)
  if (recorded.length === 0) return
  for (const text of splitStatements(script)) {
    const statement: Sql = { parts: [text], values: [] }
    await tx.query(statement)
  }
}
