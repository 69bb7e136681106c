import { Failure } from '../../core/errors.ts'
import { type Database, type Sql, type SqlValue, sql } from '../../ports/database.ts'
import { keyOf } from '../deliveries/delivery.ts'
import { type MovedTable, placesOf, raw } from './moved-tables.ts'

/** Values of a row, or of its key. A key of up to 63 bits is two: its event, and the rest. */
export type RowValues = readonly SqlValue[]

/** A part of a table: its rows in the order of their keys, each with all of its values. */
export type RowPage = { rows: readonly RowValues[]; last: RowValues }

/** A value of a row: the name it is read under, and the expression. */
type Field = { name: string; read: string }

type FieldRow = Record<string, SqlValue>

/** A transaction is not to be long, and its rows are in memory several times over. */
const ROWS_MAX = 4096
const BYTES_MAX = 8 * 2 ** 20

/** The columns of 63 bits, which no number of ours holds. */
const WIDE = 'key'

/** The next rows after that key, as many as are moved at once; null when there are none. */
export async function nextPage(
  db: Database,
  table: MovedTable,
  after: RowValues | null,
): Promise<RowPage | null> {
  const last = table.long === null ? null : await pageEnd(db, table, table.long, after)
  const rows = await readRows(db, table, { after, last })
  const end = rows.at(-1)
  return end ? { rows, last: keyOfRow(table, end) } : null
}

/** The rows after one key and up to another, and one more than a page may have at most. */
export async function readRows(
  db: Database,
  table: MovedTable,
  { after, last }: { after: RowValues | null; last: RowValues | null },
): Promise<RowValues[]> {
  const fields = table.columns.flatMap(fieldsOf)
  const limit = last === null ? ROWS_MAX : ROWS_MAX + 1
  const rows = await db.query<FieldRow>(
    selectRows(table, fieldList(fields), between(table, after, last), limit),
  )
  return rows.map((row) => fields.map(({ name }) => row[name] ?? null))
}

/** The statement that writes a row by the values that were read of it. */
export function insertOf({ name, columns }: MovedTable): Sql {
  const values = columns
    .map((column): Sql => (column === WIDE ? keyOf(null, null) : sql`${null}`))
    .reduce((all, one) => sql`${all}, ${one}`)
  return sql`INSERT INTO ${raw(name)} (${raw(columns.join(', '))}) VALUES (${values})`
}

/** A row for people: its table and its key. */
export function nameOfRow(table: MovedTable, row: RowValues): string {
  return `${table.name} (${table.key.join(', ')}) = (${keyOfRow(table, row).join(', ')})`
}

/** The event of a row, by which its partition is found. */
export function eventOfRow({ columns }: MovedTable, row: RowValues): number {
  const at = columns.flatMap(fieldsOf).findIndex(({ name }) => name === 'event')
  return Number(row[at])
}

/** PostgreSQL has no place for it, and SQLite had in earlier versions. */
export function refuseNul(table: MovedTable, rows: readonly RowValues[]): void {
  const bad = rows.find((row) =>
    row.some((value) => typeof value === 'string' && value.includes('\0')),
  )
  if (!bad) return
  const reason = `${nameOfRow(table, bad)} holds a NUL, which PostgreSQL cannot store`
  throw new Failure('move_failed', { reason })
}

/** The key of the last row that fits into a page by its bytes; null when there is no row. */
async function pageEnd(
  db: Database,
  table: MovedTable,
  long: string,
  after: RowValues | null,
): Promise<RowValues | null> {
  const fields = table.key.flatMap(fieldsOf)
  const bytesOf = sql`CAST(OCTET_LENGTH(${raw(long)}) AS BIGINT) AS page_bytes`
  const sizes = await db.query<FieldRow>(
    selectRows(table, sql`${fieldList(fields)}, ${bytesOf}`, between(table, after, null), ROWS_MAX),
  )
  let bytes = 0
  const beyond = sizes.findIndex(({ page_bytes }) => {
    bytes += Number(page_bytes)
    return bytes > BYTES_MAX
  })
  // One that is larger than a page goes alone.
  const end = beyond === -1 ? sizes.at(-1) : sizes[Math.max(0, beyond - 1)]
  return end ? fields.map(({ name }) => end[name] ?? null) : null
}

/** The first rows of a table that meet a condition, in the order of their keys. */
function selectRows({ name, key }: MovedTable, fields: Sql, where: Sql, limit: number): Sql {
  const order = sql`ORDER BY ${raw(key.join(', '))} LIMIT ${limit}`
  const selects = placesOf(name).map(
    (place) => sql`SELECT ${fields} FROM ${place} WHERE ${where} ${order}`,
  )
  const [only = sql``, ...more] = selects
  if (more.length === 0) return only
  const all = selects
    .map((select, at) => sql`SELECT * FROM (${select}) AS ${raw(`place_${at}`)}`)
    .reduce((some, one) => sql`${some} UNION ALL ${one}`)
  return sql`SELECT * FROM (${all}) AS places ${order}`
}

function fieldList(fields: readonly Field[]): Sql {
  return raw(fields.map(({ name, read }) => `${read} AS ${name}`).join(', '))
}

function keyOfRow({ columns, key }: MovedTable, row: RowValues): RowValues {
  const names = columns.flatMap(fieldsOf).map(({ name }) => name)
  return key.flatMap(fieldsOf).map(({ name }) => row[names.indexOf(name)] ?? null)
}

/** The values that a column is read as. */
function fieldsOf(column: string): Field[] {
  if (column !== WIDE) return [{ name: column, read: column }]
  return [
    { name: 'event', read: 'key / 16777216' },
    { name: 'of_event', read: 'key % 16777216' },
  ]
}

function between(table: MovedTable, after: RowValues | null, last: RowValues | null): Sql {
  const lower = after ? sql`${keySql(table)} > ${valueSql(table, after)}` : sql`1 = 1`
  return last ? sql`${lower} AND ${keySql(table)} <= ${valueSql(table, last)}` : lower
}

function keySql({ key }: MovedTable): Sql {
  return raw(key.length === 1 ? key.join() : `(${key.join(', ')})`)
}

function valueSql({ key }: MovedTable, values: RowValues): Sql {
  if (key[0] === WIDE) return keyOf(values[0] ?? null, values[1] ?? null)
  const all = values.map((value) => sql`${value}`).reduce((some, one) => sql`${some}, ${one}`)
  return key.length === 1 ? all : sql`(${all})`
}
