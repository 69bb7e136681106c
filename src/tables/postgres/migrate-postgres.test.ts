import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { openTestPostgres } from '../../../tests/fresh-store.ts'
import { failureOf } from '../../../tests/support/basics/failure-of.ts'
import { type TestDatabase, testDatabase } from '../../../tests/support/postgres/test-postgres.ts'
import { lacksPostgres } from '../../../tests/support/product/world.ts'
import { openSqlite } from '../../../tests/support/store/open-sqlite.ts'
import { type Database, sql } from '../../ports/database.ts'
import { migrate, openRecord } from '../migrate.ts'
import { splitStatements } from '../sql/split-statements.ts'
import { dayOf } from './event-days.ts'
import { migratePostgres, POSTGRES_MIGRATIONS } from './migrate-postgres.ts'

const NOW_MS = Date.UTC(2026, 10, 16, 12)
const STARTERS = 10

describe.skipIf(lacksPostgres())('tables on PostgreSQL', () => {
  let made: TestDatabase
  let db: Database

  beforeEach(async () => {
    made = await testDatabase()
    db = openTestPostgres(made.url)
  })
  afterEach(async () => {
    await db.close()
    await made.drop()
  })

  test('are those of SQLite, column by column, and the days', async () => {
    await migratePostgres(db, NOW_MS)
    const sqlite = openSqlite(':memory:')
    await migrate(sqlite)
    const columns = await columnsOf(db)
    const days = columns.filter((column) => column.startsWith('event_days.'))
    expect(days).toHaveLength(3)
    expect(columns.filter((column) => !days.includes(column))).toEqual(await sqliteColumns(sqlite))
    await sqlite.close()
  })

  test('compare text byte by byte, as SQLite does', async () => {
    await migratePostgres(db, NOW_MS)
    const others = await db.query(sql`
      SELECT attrelid, attname FROM pg_attribute
        JOIN pg_class ON pg_class.oid = attrelid
        JOIN pg_collation ON pg_collation.oid = attcollation
      WHERE relnamespace = 'public'::regnamespace AND relname <> 'migrations' AND collname <> 'C'`)
    expect(others).toEqual([])
  })

  test('are made once by ten processes that start at the same moment', async () => {
    const script = `
      import { openTestPostgres } from ${JSON.stringify(join(import.meta.dir, '../../../tests/fresh-store.ts'))}
      import { migratePostgres } from ${JSON.stringify(join(import.meta.dir, 'migrate-postgres.ts'))}
      const db = openTestPostgres(${JSON.stringify(made.url)})
      await migratePostgres(db, ${NOW_MS})
      await db.close()`
    const starters = Array.from({ length: STARTERS }, () =>
      Bun.spawn([process.execPath, '-e', script], { stdout: 'ignore', stderr: 'inherit' }),
    )
    const codes = await Promise.all(starters.map((starter) => starter.exited))
    expect(codes).toEqual(starters.map(() => 0))
    expect(await db.query(sql`SELECT version FROM migrations ORDER BY version`)).toEqual(
      POSTGRES_MIGRATIONS.map(({ version }) => ({ version })),
    )
    const day = dayOf(NOW_MS)
    expect(await db.query(sql`SELECT day, has_begun FROM event_days ORDER BY day`)).toEqual([
      { day, has_begun: 1 },
      { day: day + 1, has_begun: 0 },
      { day: day + 2, has_begun: 0 },
    ])
  })

  test('are not touched when a version before 0.3.0 has written them', async () => {
    await db.query(sql`CREATE TABLE migrations (version BIGINT PRIMARY KEY, name TEXT NOT NULL)`)
    await db.query(
      sql`INSERT INTO migrations (version, name) VALUES (8, 'tables'), (16, 'verified')`,
    )
    expect(await failureOf(migratePostgres(db, NOW_MS))).toMatchObject({
      code: 'start_failed',
      facts: { reason: expect.stringContaining('Upgrade with 0.3.0 first') },
    })
    expect(await columnsOf(db)).toEqual(['migrations.name', 'migrations.version'])
  })

  test('of version 0.3.0 keep their rows', async () => {
    await openRecord(db, POSTGRES_MIGRATIONS)
    for (const statement of splitStatements(POSTGRES_MIGRATIONS[0]?.script ?? '')) {
      await db.query({ parts: [statement], values: [] })
    }
    for (let version = 8; version <= 17; version++) {
      await db.query(sql`INSERT INTO migrations (version, name) VALUES (${version}, 'old')`)
    }
    await db.query(sql`INSERT INTO teams VALUES ('team_1', 'first', 'free', 0, 1)`)
    await migratePostgres(db, NOW_MS)
    expect(await db.query(sql`SELECT id FROM teams`)).toEqual([{ id: 'team_1' }])
  })

  test('are not touched when a newer version has written them', async () => {
    await migratePostgres(db, NOW_MS)
    await db.query(sql`INSERT INTO migrations (version, name) VALUES (999, 'from the future')`)
    expect(await failureOf(migratePostgres(db, NOW_MS))).toMatchObject({
      code: 'start_failed',
      facts: { databaseVersion: 999 },
    })
  })
})

/** `table.column` in order, without partitions, whose columns are those of their tables. */
async function columnsOf(db: Database): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    SELECT columns.table_name || '.' || column_name AS name
    FROM information_schema.columns AS columns
      JOIN pg_class ON pg_class.relname = columns.table_name AND NOT relispartition
        AND relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
    WHERE table_schema = 'public'`)
  return rows.map(({ name }) => name).sort()
}

async function sqliteColumns(db: Database): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    SELECT tables.name || '.' || columns.name AS name
    FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
    WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%'`)
  return rows.map(({ name }) => name).sort()
}
