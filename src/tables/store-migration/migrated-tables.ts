import { assert, Failure } from '../../core/errors.ts'
import { type Database, type Sql, type SqlValue, sql, sqlRows } from '../../ports/database.ts'
import { EVENT_MAX } from '../deliveries/done-deliveries.ts'
import { statement } from '../postgres/event-days.ts'

/** The values of a row. A number of up to 63 bits is a text. */
export type RowValues = readonly SqlValue[]

export type MigratedTable = {
  name: string
  columns: readonly string[]
  /** The columns of its primary key, in the key's order. */
  key: readonly string[]
  /** Where SQLite has its rows. */
  places: readonly Sql[]
  /** The event of a row, which determines its partition. */
  eventOf(row: RowValues): number
}

/** The fact that marks a store while a migration into it is not finished, since 0.3.0. */
export const MARK = 'move'

/** Facts about one store, and not about the installation. */
export const FACTS_OF_STORE = ['secret_fingerprint', MARK]

/**
 * In this order, so that a row is copied after the rows it refers to. The tables that say which
 * processes run on a store (leases, followers, couriers, shards, marks of usage writers), its
 * schema version and its listing are not copied: the target starts with its own.
 */
const MIGRATED = [
  'teams',
  'tokens',
  'sessions',
  'apps',
  'jwt_keys',
  'revisions',
  'usage',
  'team_months',
  'call_stats',
  'upstream_spend',
  'instance_facts',
  'webhooks',
  'team_slots',
  'variables',
  'variable_items',
  'chains',
  'chain_blocks',
  'chain_spans',
  'log_sizes',
  'replays',
  'team_backlogs',
  'webhook_marks',
  'retention',
  'late_deliveries',
  'events',
  'results',
  'deliveries',
  'outbox',
  'done_deliveries',
]

/** Columns whose texts may be so long that pages are limited by their bytes. */
const LONG: Readonly<Record<string, Sql>> = {
  webhooks: sql`query`,
  results: sql`data`,
  deliveries: sql`attempts`,
}

/** The column of 63 bits, which a JavaScript number cannot hold. */
const WIDE = 'key'
const KEYS_PER_EVENT = 2n ** 24n

/** The rows of a page are in memory several times over. */
const ROWS_MAX = 4096
const BYTES_MAX = 8 * 2 ** 20

/** SQLite lists delivered deliveries many at a time; PostgreSQL lists each at once. */
const UNLISTED = sql`(
  SELECT key % 16777216 AS webhook, state, key / 16777216 AS event FROM deliveries
  WHERE state = 1 AND key >= (
    SELECT COALESCE(MAX(event), ${EVENT_MAX}) + 1 FROM listing) * 16777216)`

const FACTS = sql`(
  SELECT name, value FROM instance_facts WHERE name NOT IN ${sqlRows([FACTS_OF_STORE])})`

/** The tables to copy, as SQLite describes them. PostgreSQL has the same columns and keys. */
export async function readMigratedTables(sqlite: Database): Promise<MigratedTable[]> {
  const tables: MigratedTable[] = []
  for (const name of MIGRATED) {
    const found = await sqlite.query<{ name: string; pk: number }>(sql`
      SELECT name, pk FROM pragma_table_info(${name}) ORDER BY cid`)
    const columns = found.map((column) => column.name)
    const key = found.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk)
    assert(key.length > 0, `the table ${name} has a primary key`)
    const eventAt = columns.indexOf(columns.includes(WIDE) ? WIDE : 'event')
    const eventOf = (row: RowValues) => {
      const value = BigInt(row[eventAt] as string | number)
      return Number(columns.includes(WIDE) ? value / KEYS_PER_EVENT : value)
    }
    tables.push({ name, columns, key: key.map((one) => one.name), places: placesOf(name), eventOf })
  }
  return tables
}

export async function nextPage(
  sqlite: Database,
  table: MigratedTable,
  place: Sql,
  before: readonly RowValues[] | null,
): Promise<RowValues[]> {
  const { name, columns, key } = table
  const last = before?.at(-1)
  const keys = statement(key.join(', '))
  const values =
    last && key.map((column) => valueSql(column, last[columns.indexOf(column)] ?? null))
  const where = values ? sql`WHERE (${keys}) > (${joined(values)})` : sql``
  const rest = sql`FROM ${place} ${where} ORDER BY ${keys}`
  const long = LONG[name]
  const limit = long ? await rowsThatFit(sqlite, sql`OCTET_LENGTH(${long})`, rest) : ROWS_MAX
  const fields = columns.map((column) =>
    column === WIDE ? `CAST(${column} AS TEXT) AS ${column}_text` : column,
  )
  const rows = await sqlite.query<Record<string, SqlValue>>(sql`
    SELECT ${statement(fields.join(', '))} ${rest} LIMIT ${limit}`)
  const read = rows.map((row) =>
    columns.map((column) => row[column === WIDE ? `${column}_text` : column] ?? null),
  )
  refuseNul(table, read)
  return read
}

export function insertOf({ name, columns }: MigratedTable): Sql {
  const values = columns.map((column) => valueSql(column, null))
  return sql`
    INSERT INTO ${statement(`${name} (${columns.join(', ')})`)} VALUES (${joined(values)})`
}

function placesOf(name: string): readonly Sql[] {
  if (name === 'instance_facts') return [FACTS]
  return name === 'done_deliveries' ? [statement(name), UNLISTED] : [statement(name)]
}

/** How many of the next rows fit into a page by their bytes. One that is larger goes alone. */
async function rowsThatFit(sqlite: Database, bytesOf: Sql, rest: Sql): Promise<number> {
  const sizes = await sqlite.query<{ bytes: number }>(sql`
    SELECT ${bytesOf} AS bytes ${rest} LIMIT ${ROWS_MAX}`)
  let bytes = 0
  const beyond = sizes.findIndex((size) => {
    bytes += size.bytes
    return bytes > BYTES_MAX
  })
  return beyond === -1 ? ROWS_MAX : Math.max(1, beyond)
}

function valueSql(column: string, value: SqlValue): Sql {
  return column === WIDE ? sql`CAST(${value} AS BIGINT)` : sql`${value}`
}

function joined(all: readonly Sql[]): Sql {
  return all.reduce((some, one) => sql`${some}, ${one}`)
}

/** PostgreSQL cannot store a NUL character. Early versions could write one to SQLite. */
function refuseNul({ name, columns, key }: MigratedTable, rows: readonly RowValues[]): void {
  const bad = rows.find((row) =>
    row.some((value) => typeof value === 'string' && value.includes('\0')),
  )
  if (!bad) return
  const values = key.map((column) => bad[columns.indexOf(column)])
  const row = `${name} (${key.join(', ')}) = (${values.join(', ')})`
  throw new Failure('migration_failed', {
    reason: `${row} contains a NUL character, which PostgreSQL cannot store`,
  })
}
