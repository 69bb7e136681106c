import { assert, Failure } from '../core/errors.ts'
import { type Database, type Procedure, type Sql, sql } from '../ports/database.ts'
import type { Migration } from './early-migrations.ts'
import { MIGRATIONS } from './migrations.ts'
import { splitStatements } from './sql/split-statements.ts'

/** Brings the tables to the form this code expects. Any number of processes may do it at once. */
export async function migrate(db: Database): Promise<void> {
  await openRecord(db)
  for (const { version } of MIGRATIONS) await db.perform(applyMigration, [version])
}

/**
 * One migration, as a whole or not at all. The record is written first: whoever comes second
 * waits for it, finds it, and has nothing to do.
 */
export const applyMigration: Procedure<[version: number], void> = {
  name: 'applyMigration',
  async run(tx, [version]) {
    const migration = MIGRATIONS.find((one) => one.version === version)
    assert(migration !== undefined, 'a migration is known by its version')
    if (await runOnce(tx, migration)) await migration.carry?.(tx)
  },
}

/** Makes the record of migrations, and refuses one that a newer version has written. */
export async function openRecord(db: Database): Promise<void> {
  await createRecord(db)
  await refuseNewer(db)
}

/** Runs a script unless it is recorded; true when it was run. */
export async function runOnce(
  tx: Database,
  { version, name, script }: Pick<Migration, 'version' | 'name' | 'script'>,
): Promise<boolean> {
  const mine = await tx.query(sql`
    INSERT INTO migrations (version, name) VALUES (${version}, ${name})
    ON CONFLICT (version) DO NOTHING RETURNING version`)
  if (mine.length === 0) return false
  for (const text of splitStatements(script)) {
    const statement: Sql = { parts: [text], values: [] }
    await tx.query(statement)
  }
  return true
}

async function createRecord(db: Database): Promise<void> {
  const create = sql`
    CREATE TABLE IF NOT EXISTS migrations (version BIGINT PRIMARY KEY, name TEXT NOT NULL)`
  // Two processes that create it at the same moment: PostgreSQL lets one of them
  // fail in spite of IF NOT EXISTS, and its second try finds the table.
  await db.query(create).catch(() => db.query(create))
}

async function refuseNewer(db: Database): Promise<void> {
  const known = MIGRATIONS.at(-1)?.version ?? 0
  const newer = await db.query<{ version: number }>(sql`
    SELECT version FROM migrations WHERE version > ${known} ORDER BY version DESC LIMIT 1`)
  if (!newer[0]) return
  throw new Failure('start_failed', {
    reason: 'the database was written by a newer version',
    databaseVersion: newer[0].version,
    codeVersion: known,
  })
}
