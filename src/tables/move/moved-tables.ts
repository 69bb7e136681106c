import { assert } from '../../core/errors.ts'
import { type Database, type Sql, sql, sqlRows } from '../../ports/database.ts'
import { EVENT_MAX } from '../deliveries/done-deliveries.ts'

/** A table whose rows are moved from one store to another. */
export type MovedTable = {
  name: string
  columns: readonly string[]
  /** The columns of its primary key, in the key's order. */
  key: readonly string[]
  /** A column whose text may be so long that pages are cut by its bytes; null where none is. */
  long: string | null
}

/** The fact that says how far a move into the store has come, while it is not finished. */
export const MOVE_FACT = 'move'

/** Facts about one store, and not about the installation that moves. */
const FACTS_OF_STORE = ['secret_fingerprint', MOVE_FACT]

/**
 * In this order, so that what a row refers to is there before it. The tables that say who runs on a
 * store (leases, followers, couriers, shards, marks of who writes usage), which version it has and
 * how far it lists what is done stay behind: a target begins with its own, and with free shards.
 */
const MOVED = [
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

const LONG: Readonly<Record<string, string>> = {
  webhooks: 'query',
  results: 'data',
  deliveries: 'attempts',
}

/** The tables to move, as SQLite describes them; PostgreSQL has the same columns and keys. */
export async function readMovedTables(sqlite: Database): Promise<MovedTable[]> {
  const tables: MovedTable[] = []
  for (const name of MOVED) {
    const columns = await sqlite.query<{ name: string; pk: number }>(sql`
      SELECT name, pk FROM pragma_table_info(${name}) ORDER BY cid`)
    const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk)
    assert(key.length > 0, `the table ${name} has a primary key`)
    tables.push({
      name,
      columns: columns.map((column) => column.name),
      key: key.map((column) => column.name),
      long: LONG[name] ?? null,
    })
  }
  return tables
}

/**
 * Where the rows of a table are read, so that both kinds of store have the same. Each of several
 * places is read for itself, by its own index.
 */
export function placesOf(name: string): readonly Sql[] {
  if (name === 'instance_facts') return [MOVED_FACTS]
  return name === 'done_deliveries' ? [raw(name), UNLISTED] : [raw(name)]
}

/** Names of tables and columns, which are ours and cannot be parameters. */
export function raw(text: string): Sql {
  return { parts: [text], values: [] }
}

/** The facts about the installation. */
export const MOVED_FACTS = sql`(
  SELECT name, value FROM instance_facts WHERE name NOT IN ${sqlRows([FACTS_OF_STORE])}) AS facts`

/** SQLite lists what was delivered many at a time, PostgreSQL at once: it has no listing. */
const UNLISTED = sql`(
  SELECT key % 16777216 AS webhook, state, key / 16777216 AS event FROM deliveries
  WHERE state = 1 AND key >= (
    SELECT CAST(COALESCE(MAX(event), ${EVENT_MAX}) AS BIGINT) + 1 FROM listing) * 16777216
) AS unlisted`
