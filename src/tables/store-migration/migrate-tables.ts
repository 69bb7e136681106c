import { Failure } from '../../core/errors.ts'
import { type Database, type Sql, sql, sqlRows } from '../../ports/database.ts'
import { continueOnPostgres } from '../postgres/continue-above-on-postgres.ts'
import { dayOfEvent, makeDay, PARTITIONED, statement } from '../postgres/event-days.ts'
import { readInstanceFact } from '../sql/instance.ts'
import {
  FACTS_OF_STORE,
  insertOf,
  MARK,
  type MigratedTable,
  nextPage,
  type RowValues,
  readMigratedTables,
} from './migrated-tables.ts'

export type MigrationProgress = {
  table: string
  /** Rows of the table that are copied, and how many it has. */
  rows: number
  rowsMax: number
  isDone: boolean
  allRows: number
  allRowsMax: number
}

/** Rows by table. */
type Counts = Record<string, number>

/**
 * Copies all rows from SQLite to an empty PostgreSQL store. The target is marked until all of
 * them are there: no process starts on it meanwhile, and the next run after a crash empties it.
 * `run` is a name that no other run has.
 */
export async function migrateTables(
  source: Database,
  target: Database,
  run: string,
  report: (progress: MigrationProgress) => void,
): Promise<Counts> {
  const tables = await readMigratedTables(source)
  const counts: Counts = {}
  for (const { name, places } of tables) counts[name] = await countRows(source, places)
  const allRowsMax = Object.values(counts).reduce((sum, some) => sum + some, 0)
  await target.transaction((tx) => beginMigration(tx, tables, run))

  let allRows = 0
  for (const table of tables) {
    const rowsMax = counts[table.name] ?? 0
    let rows = 0
    const insert = insertOf(table)
    for (const place of table.places) {
      let page = await nextPage(source, table, place, null)
      while (page.length > 0) {
        const copied = page
        const writing = target.transaction((tx) => copyRows(tx, table, insert, copied, run))
        const [next] = await Promise.all([nextPage(source, table, place, copied), writing])
        page = next
        rows += copied.length
        allRows += copied.length
        report({ table: table.name, rows, rowsMax, isDone: false, allRows, allRowsMax })
      }
    }
    report({ table: table.name, rows, rowsMax, isDone: true, allRows, allRowsMax })
  }
  const lastEvent = await lastEventNumber(source)
  await target.transaction((tx) => finishMigration(tx, counts, lastEvent, run))
  return counts
}

/** Half of a store would deliver half of the backlog. */
export async function refuseUnfinishedMigration(db: Database): Promise<void> {
  if ((await readInstanceFact(db, MARK)) === null) return
  const reason = 'the migration into this store is not finished; run headgate migrate again'
  throw new Failure('start_failed', { reason })
}

export async function isEmptyStore(db: Database): Promise<boolean> {
  const used = await db.query(sql`
    SELECT 1 AS used FROM teams UNION ALL SELECT 1 FROM tokens UNION ALL SELECT 1 FROM chains
    UNION ALL SELECT 1 FROM events LIMIT 1`)
  return used.length === 0
}

/** Marks the target, and removes the rows that an unfinished run or the schema left in it. */
async function beginMigration(
  tx: Database,
  tables: readonly MigratedTable[],
  run: string,
): Promise<void> {
  const unfinished = await tx.query(sql`
    UPDATE instance_facts SET value = ${run} WHERE name = ${MARK} RETURNING name`)
  if (unfinished.length === 0) {
    if (!(await isEmptyStore(tx))) {
      const reason =
        'the target is not empty. Use an empty database; if an earlier run has finished, start ' +
        'Headgate on the target'
      throw new Failure('migration_failed', { reason })
    }
    await tx.query(sql`INSERT INTO instance_facts (name, value) VALUES (${MARK}, ${run})`)
  }
  const names = tables.map(({ name }) => name).filter((name) => name !== 'instance_facts')
  await tx.query(statement(`TRUNCATE ${names.join(', ')}`))
  await tx.query(sql`
    DELETE FROM instance_facts WHERE name NOT IN ${sqlRows([FACTS_OF_STORE])}`)
}

async function copyRows(
  tx: Database,
  table: MigratedTable,
  insert: Sql,
  rows: readonly RowValues[],
  run: string,
): Promise<void> {
  await holdMark(tx, run)
  if (PARTITIONED.some((partitioned) => partitioned.table === table.name)) {
    const days = new Set(rows.map((row) => dayOfEvent(table.eventOf(row))))
    for (const day of days) await makeDay(tx, day)
  }
  await tx.each(insert, rows)
}

/** Waits for a killed run whose transaction is still open, and refuses a second run. */
async function holdMark(tx: Database, run: string): Promise<void> {
  const held = await tx.query(sql`
    UPDATE instance_facts SET value = value
    WHERE name = ${MARK} AND value = ${run} RETURNING name`)
  if (held.length > 0) return
  const reason = 'another headgate migrate has started on the same target'
  throw new Failure('migration_failed', { reason })
}

async function finishMigration(
  tx: Database,
  counts: Counts,
  lastEvent: number,
  run: string,
): Promise<void> {
  await holdMark(tx, run)
  // Counting a table of hundreds of millions of rows takes longer than a statement may.
  await tx.query(sql`SET LOCAL statement_timeout = 0`)
  for (const [name, count] of Object.entries(counts)) {
    const place =
      name === 'instance_facts'
        ? sql`instance_facts WHERE name NOT IN ${sqlRows([FACTS_OF_STORE])}`
        : statement(name)
    const copied = await countRows(tx, [place])
    if (copied === count) continue
    const reason = `the target has ${copied} rows of ${name}, and the source ${count}`
    throw new Failure('migration_failed', { reason })
  }
  await continueOnPostgres(tx, lastEvent)
  await tx.query(sql`DELETE FROM instance_facts WHERE name = ${MARK}`)
}

async function countRows(db: Database, places: readonly Sql[]): Promise<number> {
  let count = 0
  for (const place of places) {
    const [counted] = await db.query<{ count: number }>(sql`
      SELECT CAST(COUNT(*) AS BIGINT) AS count FROM ${place}`)
    count += counted?.count ?? 0
  }
  return count
}

/** The number up to which SQLite has numbered events, including those that are deleted. */
async function lastEventNumber(sqlite: Database): Promise<number> {
  const [last] = await sqlite.query<{ event: number | null }>(sql`
    SELECT MAX(event) AS event FROM (
      SELECT seq AS event FROM sqlite_sequence WHERE name = 'events'
      UNION ALL SELECT event FROM retention UNION ALL SELECT MAX(event) FROM events)`)
  return last?.event ?? 0
}
