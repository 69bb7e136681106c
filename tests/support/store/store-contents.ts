import { type Database, type Sql, sql } from '../../../src/ports/database.ts'

/** Tables that say who runs on a store, and how it goes about it. */
const OF_ONE_STORE = [
  'couriers',
  'event_days',
  'followers',
  'leases',
  'listing',
  'migrations',
  'shards',
  'usage_marks',
]

/** Events that are read at once where a store is large. */
const EVENTS_A_PAGE = 200

/** The tables of a SQLite store. */
export async function tablesOf(sqlite: Database): Promise<string[]> {
  const rows = await sqlite.query<{ name: string }>(sql`
    SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`)
  return rows.map(({ name }) => name)
}

/** All that a store holds, table by table, in a form that both engines have. */
export async function contentsOf(
  db: Database,
  tables: readonly string[],
): Promise<Map<string, string[]>> {
  const contents = new Map<string, string[]>()
  for (const table of tables) {
    if (OF_ONE_STORE.includes(table)) continue
    contents.set(table, await rowTexts(db, contentsSql(table, null)))
  }
  return contents
}

/** The same as one hash and the number of rows for each table, for a store of any size. */
export async function digestOf(
  db: Database,
  tables: readonly string[],
): Promise<Map<string, string>> {
  const events = (
    await db.query<{ event: number }>(sql`SELECT event FROM events ORDER BY event`)
  ).map(({ event }) => event)
  const digests = new Map<string, string>()
  for (const table of tables) {
    if (OF_ONE_STORE.includes(table)) continue
    const hasher = new Bun.CryptoHasher('sha256')
    let count = 0
    const isLarge = ['events', 'results', 'deliveries'].includes(table)
    for (let at = 0; at < (isLarge ? events.length : 1); at += EVENTS_A_PAGE) {
      const span = [events[at] ?? 0, events[at + EVENTS_A_PAGE - 1] ?? events.at(-1) ?? 0] as const
      const rows = await rowTexts(db, contentsSql(table, isLarge ? span : null))
      count += rows.length
      for (const row of rows) hasher.update(`${row}\n`)
    }
    digests.set(table, `${count} ${hasher.digest('hex')}`)
  }
  return digests
}

async function rowTexts(db: Database, statement: Sql): Promise<string[]> {
  const rows = await db.query<Record<string, unknown>>(statement)
  return rows.map((row) => JSON.stringify(Object.entries(row).sort())).sort()
}

function contentsSql(table: string, span: readonly [number, number] | null): Sql {
  const [from, to] = span ?? [0, 2 ** 39 - 3]
  const key = sql`key / 16777216 AS key_event, key % 16777216 AS key_rest`
  const keys = sql`key >= CAST(${from} AS BIGINT) * 16777216
    AND key < (CAST(${to} AS BIGINT) + 1) * 16777216`
  if (table === 'events') return sql`SELECT * FROM events WHERE event BETWEEN ${from} AND ${to}`
  if (table === 'results') {
    return sql`SELECT ${key}, bytes, truncation, data FROM results WHERE ${keys}`
  }
  if (table === 'deliveries') {
    return sql`
      SELECT ${key}, part, data_bytes, previous_sequence, state, version, attempts_made, replay,
        done_at_ms, body_bytes, attempts_bytes, attempts FROM deliveries WHERE ${keys}`
  }
  // Of later events, what is delivered is not listed yet; PostgreSQL lists all of it at once.
  if (table === 'done_deliveries') {
    return sql`
      SELECT webhook, state, event FROM done_deliveries
      UNION ALL SELECT key % 16777216, state, key / 16777216 FROM deliveries
      WHERE state = 1 AND key >= (COALESCE((SELECT event FROM listing), 549755813886) + 1) * 16777216`
  }
  if (table === 'instance_facts') {
    return sql`SELECT name, value FROM instance_facts WHERE name <> 'secret_fingerprint'`
  }
  return { parts: [`SELECT * FROM ${table}`], values: [] }
}
