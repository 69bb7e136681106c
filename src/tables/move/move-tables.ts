import { Failure } from '../../core/errors.ts'
import { type Database, sql } from '../../ports/database.ts'
import { dayOfEvent, makeDay, PARTITIONED } from '../postgres/event-days.ts'
import { continueNumbers, lastEventNumber, type StoreEngine } from './event-numbers.ts'
import { advanceMark, beginMove, finishMove, type MoveMark } from './move-mark.ts'
import {
  eventOfRow,
  insertOf,
  nameOfRow,
  nextPage,
  type RowPage,
  type RowValues,
  readRows,
  refuseNul,
} from './moved-rows.ts'
import { type MovedTable, placesOf, readMovedTables } from './moved-tables.ts'
import { sourceStamp } from './source-stamp.ts'

/** A store of either kind. */
type MovedStore = { database: Database; engine: StoreEngine }

export type MoveProgress = {
  step: MoveMark['step']
  table: string
  /** Rows of the table that are done in this step, and how many it has; null when not known. */
  rows: number
  rowsMax: number | null
  /** True when the table is done. */
  isDone: boolean
  /** Rows of all tables that are done in both steps, and how many that will be. */
  allRows: number
  allRowsMax: number | null
}

type Ends = { source: MovedStore; target: MovedStore }

type Report = (progress: MoveProgress) => void

/**
 * Moves all rows from one store to another, some at a time, each time together with the mark of
 * how far it has come; then reads both and compares them row by row. It may be killed whenever,
 * and goes on from its mark. The rows of each table; null when the target was equal before.
 */
export async function moveTables(ends: Ends, report: Report): Promise<MoveMark['rows'] | null> {
  const { source, target } = ends
  const stamp = await sourceStamp(source.database)
  const tables = await readMovedTables(sqliteOf(ends))
  const [first] = tables
  let mark = await beginMove(target.database, stamp, first?.name ?? '')
  if (mark === null) return refuseUnlessMoved(target.database, stamp)
  const counts = await countRows(source.database, tables)
  const told = reporter(report, tables, counts)

  if (mark.step === 'copy') {
    mark = await eachPage(source.database, tables, mark, told, (next) => copyPage(ends, next))
    mark = await beginCheck(ends, mark, first?.name ?? '')
  }
  mark = await eachPage(source.database, tables, mark, told, (next) => checkPage(ends, next))
  if ((await sourceStamp(source.database)) !== stamp) {
    throw new Failure('move_failed', { reason: 'the source was used during the move' })
  }
  await finishMove(target.database, mark)
  return mark.rows
}

function sqliteOf({ source, target }: Ends): Database {
  return source.engine === 'sqlite' ? source.database : target.database
}

/** One who was killed after the very end finds that all is done. */
async function refuseUnlessMoved(target: Database, stamp: string): Promise<null> {
  if ((await sourceStamp(target)) === stamp) return null
  throw new Failure('move_failed', { reason: 'the target is not empty' })
}

/** A page to work on, null at the end of the table, with the marks before and after it. */
type NextPage = {
  table: MovedTable
  after: RowValues | null
  page: RowPage | null
  mark: MoveMark
  next: MoveMark
}

/** Goes through the tables from the mark on, and reads ahead by a page; the last mark. */
async function eachPage(
  source: Database,
  tables: readonly MovedTable[],
  begun: MoveMark,
  told: (mark: MoveMark, isDone: boolean) => void,
  work: (next: NextPage) => Promise<void>,
): Promise<MoveMark> {
  let mark = begun
  const from = tables.findIndex(({ name }) => name === mark.table)
  for (const table of tables.slice(from)) {
    let after = table.name === mark.table ? mark.after : null
    let page = await nextPage(source, table, after)
    for (;;) {
      const done = (mark.table === table.name ? mark.rows[table.name] : 0) ?? 0
      const rows = { ...mark.rows, [table.name]: done + (page?.rows.length ?? 0) }
      const next: MoveMark = { ...mark, table: table.name, after: page?.last ?? after, rows }
      const working = work({ table, after, page, mark, next })
      const ahead = page && nextPage(source, table, page.last)
      const [following] = await Promise.all([ahead, working])
      mark = next
      told(mark, page === null)
      if (page === null) break
      after = page.last
      page = following
    }
  }
  return mark
}

async function copyPage({ target }: Ends, { table, page, mark, next }: NextPage): Promise<void> {
  const rows = page?.rows ?? []
  refuseNul(table, rows)
  await target.database.transaction(async (tx) => {
    await advanceMark(tx, mark, next)
    if (rows.length === 0) return
    if (target.engine === 'postgres') await makeDays(tx, table, rows)
    await tx.each(insertFor(table), rows)
  })
}

const inserts = new WeakMap<MovedTable, ReturnType<typeof insertOf>>()

/** The same object each time, by which a driver knows the statement again. */
function insertFor(table: MovedTable): ReturnType<typeof insertOf> {
  const insert = inserts.get(table) ?? insertOf(table)
  inserts.set(table, insert)
  return insert
}

async function makeDays(
  tx: Database,
  table: MovedTable,
  rows: readonly RowValues[],
): Promise<void> {
  if (!PARTITIONED.some((partitioned) => partitioned.table === table.name)) return
  const days = new Set(rows.map((row) => dayOfEvent(eventOfRow(table, row))))
  for (const day of days) await makeDay(tx, day)
}

async function beginCheck(ends: Ends, mark: MoveMark, firstTable: string): Promise<MoveMark> {
  const { source, target } = ends
  const last = await lastEventNumber(source.database, source.engine)
  const next: MoveMark = { ...mark, step: 'check', table: firstTable, after: null, rows: {} }
  await target.database.transaction(async (tx) => {
    await advanceMark(tx, mark, next)
    await continueNumbers(tx, target.engine, last)
  })
  return next
}

async function checkPage({ target }: Ends, given: NextPage): Promise<void> {
  const { table, after, page, mark, next } = given
  const rows = await readRows(target.database, table, { after, last: page?.last ?? null })
  const wanted = page?.rows ?? []
  const at = Array.from({ length: Math.max(rows.length, wanted.length) }).findIndex(
    (_, index) => !isSameRow(wanted[index], rows[index]),
  )
  if (at === -1) return advanceMark(target.database, mark, next)
  const named = wanted[at] ?? rows[at] ?? []
  throw new Failure('move_failed', {
    reason: `the target differs from the source in ${nameOfRow(table, named)}`,
  })
}

function isSameRow(one: RowValues | undefined, other: RowValues | undefined): boolean {
  return one?.length === other?.length && !!one?.every((value, at) => value === other?.[at])
}

type Counts = ReadonlyMap<string, number> | null

/** Null where to count them takes longer than the server allows. */
async function countRows(db: Database, tables: readonly MovedTable[]): Promise<Counts> {
  const counts = new Map<string, number>()
  try {
    for (const { name } of tables) {
      for (const place of placesOf(name)) {
        const [counted] = await db.query<{ count: number }>(sql`
          SELECT CAST(COUNT(*) AS BIGINT) AS count FROM ${place}`)
        counts.set(name, (counts.get(name) ?? 0) + (counted?.count ?? 0))
      }
    }
    return counts
  } catch (thrown) {
    if (thrown instanceof Failure) return null
    throw thrown
  }
}

function reporter(report: Report, tables: readonly MovedTable[], counts: Counts) {
  const all = counts && tables.reduce((sum, { name }) => sum + (counts.get(name) ?? 0), 0)
  return ({ step, table, rows }: MoveMark, isDone: boolean) => {
    const ofStep = Object.values(rows).reduce((sum, some) => sum + some, 0)
    report({
      step,
      table,
      rows: rows[table] ?? 0,
      rowsMax: counts?.get(table) ?? null,
      isDone,
      allRows: ofStep + (step === 'check' ? (all ?? 0) : 0),
      allRowsMax: all && 2 * all,
    })
  }
}
