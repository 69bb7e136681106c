import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { failureOf } from '../../tests/support/basics/failure-of.ts'
import { openSqlite } from '../../tests/support/store/open-sqlite.ts'
import { openSqliteFile } from '../embedded/database/sqlite-database.ts'
import { type Database, sql } from '../ports/database.ts'
import { MIGRATIONS, migrate, openRecord } from './migrate.ts'
import { splitStatements } from './sql/split-statements.ts'

const MIGRATIONS_FOLDER = join(import.meta.dir, 'migrations')

describe('migrate', () => {
  let folder: string
  let db: Database

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headgate-migrate-'))
    db = await openSqliteFile(join(folder, 'store.db'))
  })

  afterEach(async () => {
    await db.close()
    await rm(folder, { recursive: true })
  })

  test('makes every table and records what it did', async () => {
    await migrate(db)
    expect(await tablesOf(db)).toEqual([
      'apps',
      'call_stats',
      'chain_blocks',
      'chain_spans',
      'chains',
      'couriers',
      'deliveries',
      'done_deliveries',
      'events',
      'followers',
      'instance_facts',
      'jwt_keys',
      'late_deliveries',
      'leases',
      'listing',
      'log_sizes',
      'migrations',
      'outbox',
      'replays',
      'results',
      'retention',
      'revisions',
      'sessions',
      'shards',
      'team_backlogs',
      'team_months',
      'team_slots',
      'teams',
      'tokens',
      'upstream_spend',
      'usage',
      'usage_marks',
      'variable_items',
      'variables',
      'webhook_marks',
      'webhooks',
    ])
    expect(await db.query(sql`SELECT version, name FROM migrations`)).toEqual(
      MIGRATIONS.map(({ version, name }) => ({ version, name })),
    )
  })

  test('run again, it changes nothing', async () => {
    await migrate(db)
    await db.query(sql`INSERT INTO revisions (topic, revision) VALUES ('accounts', 5)`)
    await migrate(db)
    expect(await db.query(sql`SELECT revision FROM revisions`)).toEqual([{ revision: 5 }])
  })

  test('callers at once do it once', async () => {
    await Promise.all([migrate(db), migrate(db), migrate(db)])
    expect(await db.query(sql`SELECT COUNT(*) AS count FROM migrations`)).toEqual([
      { count: MIGRATIONS.length },
    ])
  })

  test('processes at once do it once, and none of them fails', async () => {
    const script = `
      import { openSqliteFile } from ${JSON.stringify(join(import.meta.dir, '../embedded/database/sqlite-database.ts'))}
      import { migrate } from ${JSON.stringify(join(import.meta.dir, 'migrate.ts'))}
      const db = await openSqliteFile(${JSON.stringify(join(folder, 'store.db'))})
      await migrate(db)
      await db.close()`
    const children = Array.from({ length: 3 }, () =>
      Bun.spawn([process.execPath, '-e', script], { stdout: 'ignore', stderr: 'inherit' }),
    )
    expect(await Promise.all(children.map((child) => child.exited))).toEqual([0, 0, 0])
    expect(await db.query(sql`SELECT COUNT(*) AS count FROM migrations`)).toEqual([
      { count: MIGRATIONS.length },
    ])
  })

  test('a migration that fails leaves nothing half done, and succeeds once its cause is gone', async () => {
    await db.query(sql`CREATE TABLE usage (id BIGINT)`)
    expect(await failureOf(migrate(db))).toBeInstanceOf(Error)
    expect(await tablesOf(db)).toEqual(['migrations', 'usage'])

    await db.query(sql`DROP TABLE usage`)
    await migrate(db)
    expect(await tablesOf(db)).toContain('apps')
  })

  test('keeps the rows of a store that 0.3.0 wrote, and its record of earlier migrations', async () => {
    await openRecord(db, MIGRATIONS)
    for (const statement of splitStatements(MIGRATIONS[0]?.script ?? '')) {
      await db.query({ parts: [statement], values: [] })
    }
    for (let version = 1; version <= 17; version++) {
      await db.query(sql`INSERT INTO migrations (version, name) VALUES (${version}, 'old')`)
    }
    await db.query(sql`INSERT INTO teams VALUES ('team_1', 'first', 'free', 0, 1)`)
    await migrate(db)
    expect(await db.query(sql`SELECT id FROM teams`)).toEqual([{ id: 'team_1' }])
    const [count] = await db.query(sql`SELECT COUNT(*) AS count FROM shards`)
    expect(count).toEqual({ count: 256 })
  })

  test.each([1, 6, 16])('refuses a store of version %d, and names 0.3.0', async (last) => {
    await db.query(sql`CREATE TABLE migrations (version BIGINT PRIMARY KEY, name TEXT NOT NULL)`)
    for (let version = 1; version <= last; version++) {
      await db.query(sql`INSERT INTO migrations (version, name) VALUES (${version}, 'old')`)
    }
    expect(await failureOf(migrate(db))).toMatchObject({
      code: 'start_failed',
      facts: { reason: expect.stringContaining('Upgrade with 0.3.0 first') },
    })
    expect(await tablesOf(db)).toEqual(['migrations'])
  })

  test('refuses a database written by a newer version', async () => {
    await migrate(db)
    await db.query(sql`INSERT INTO migrations (version, name) VALUES (999, 'from the future')`)
    expect(await failureOf(migrate(db))).toMatchObject({
      code: 'start_failed',
      facts: { databaseVersion: 999 },
    })
  })
})

/** PostgreSQL reads three phrases in its own way, which mean the same to both. */
describe('the scripts of the migrations', async () => {
  const names = (await readdir(MIGRATIONS_FOLDER)).sort()
  const read = async (name: string) =>
    splitStatements(await Bun.file(join(MIGRATIONS_FOLDER, name)).text())
      .join(';\n')
      .replace(/INTEGER PRIMARY KEY( AUTOINCREMENT)?/g, 'BIGINT PRIMARY KEY')
      .replace(/\) WITHOUT ROWID/g, ')')

  test('are numbered without a gap and all applied', async () => {
    const numbers = names.map((name) => Number(/^(\d{3})-[a-z-]+\.sql$/.exec(name)?.[1]))
    expect(numbers).toEqual(names.map((_, index) => index + 17))

    const db = openSqlite(':memory:')
    await migrate(db)
    const applied = await db.query<{ version: number }>(sql`SELECT version FROM migrations`)
    expect(applied.map((row) => row.version)).toEqual(numbers)
    await db.close()
  })

  // INTEGER has 32 bits on PostgreSQL; the others exist on one engine only or mean two things.
  const dialect =
    /\b(INTEGER|INT|SERIAL|BIGSERIAL|BLOB|BYTEA|BOOLEAN|REAL|DOUBLE|NUMERIC|DECIMAL|TIMESTAMP|TIMESTAMPTZ|DATETIME|DATE|JSON|JSONB|VARCHAR|UUID|AUTOINCREMENT|GENERATED|ROWID|STRICT|PRAGMA|NOW|CURRENT_TIMESTAMP|STRFTIME|UNIXEPOCH|ILIKE|GLOB|REPLACE|TRIGGER|FUNCTION|EXTENSION|USING|COLLATE|ARRAY|UNNEST|REGEXP)\b|::|\$|\[|`/i

  test.each(names)('%s speaks only what both engines understand', async (name) => {
    expect(dialect.exec(await read(name))?.[0]).toBeUndefined()
  })

  test.each(names)('%s gives every column one of the two types', async (name) => {
    const script = await read(name)
    const columns = [...script.matchAll(/^(?: {2}|ALTER .* COLUMN )([a-z_]+) ([A-Z]+)/gm)]
    // A script that drops a table has none.
    expect(columns.length > 0 || script.includes('DROP TABLE')).toBe(true)
    const odd = columns.filter(([, , type]) => type !== 'TEXT' && type !== 'BIGINT')
    expect(odd.map(([line]) => line)).toEqual([])
  })
})

async function tablesOf(db: Database): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
    ORDER BY name`)
  return rows.map((row) => row.name)
}
