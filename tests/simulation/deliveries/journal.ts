import { type Database, type Sql, sql } from '../../../src/ports/database.ts'
import { WORLD } from '../../support/product/world.ts'
import type { Change } from './journal-changes.ts'

/** A key that is put together is taken apart: as a whole it may be too large for a number. */
const EVENT = 'event=key>>24'

const COLUMNS: Readonly<Record<Change['table'], string>> = {
  events: 'event network sequence_number block_number error created_at_ms',
  results: `${EVENT} part=key&16777215 data bytes truncation`,
  deliveries:
    `${EVENT} webhook=key&16777215 part previous_sequence state version attempts_made replay ` +
    'body_bytes',
  outbox: 'event webhook lane due_at_ms',
  done_deliveries: 'event webhook state',
  listing: 'event',
  couriers: 'courier token until_ms',
  shards: 'shard courier',
  webhooks:
    'number id team_id app_id url ordered state reason signing_key_sealed previous_key_sealed ' +
    'previous_key_until_ms',
  teams: 'id tier autoscaling',
  usage: 'team_id hour_ms app_id network method calls centi_cu bytes',
  team_months: 'team_id month centi_cu',
  team_backlogs: 'team_id part bytes draining',
}

/** Between two quotes in comments, or the store would take it for the end of a statement. */
const SEMICOLON = "/*'*/;/*'*/"

/** The store itself notes every row that changes, with the change: both are kept or neither. */
export async function installJournal(database: Database): Promise<void> {
  const place = WORLD === 'postgres' ? 'BIGSERIAL' : 'INTEGER'
  await run(database, `CREATE TABLE sim_journal (place ${place} PRIMARY KEY, change TEXT NOT NULL)`)
  for (const [table, columns] of Object.entries(COLUMNS)) {
    const old = rowText(columns, 'OLD')
    const now = rowText(columns, 'NEW')
    const install = WORLD === 'postgres' ? postgresTriggers : sqliteTriggers
    for (const text of install(table, [
      ['INSERT', 'NULL', now],
      ['UPDATE', old, now],
      ['DELETE', old, 'NULL'],
    ])) {
      await run(database, text)
    }
  }
}

/** What was changed since it was last read, in order. */
export async function readJournal(tx: Database): Promise<Change[]> {
  const rows = await tx.query<{ change: string }>(sql`
    SELECT change FROM sim_journal ORDER BY place`)
  if (rows.length === 0) return []
  await tx.query(sql`DELETE FROM sim_journal`)
  return JSON.parse(`[${rows.map(({ change }) => change).join()}]`)
}

type Noted = readonly [when: string, old: string, now: string]

function sqliteTriggers(table: string, noted: readonly Noted[]): string[] {
  return noted.map(
    ([when, old, now]) => `
      CREATE TRIGGER sim_${table}_${when} AFTER ${when} ON ${table} BEGIN
        INSERT INTO sim_journal (change)
        VALUES (json_object('table', '${table}', 'old', ${old}, 'now', ${now}))${SEMICOLON}
      END`,
  )
}

function postgresTriggers(table: string, noted: readonly Noted[]): string[] {
  return noted.flatMap(([when, old, now]) => {
    const name = `sim_${table}_${when}`
    return [
      `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN
        INSERT INTO sim_journal (change)
        VALUES (json_build_object('table', '${table}', 'old', ${old}, 'now', ${now})::text);
        RETURN NULL;
      END $body$`,
      `CREATE TRIGGER ${name} AFTER ${when} ON ${table}
        FOR EACH ROW EXECUTE FUNCTION ${name}()`,
    ]
  })
}

function rowText(columns: string, row: 'OLD' | 'NEW'): string {
  const pairs = columns.split(' ').map((column) => {
    const [name, from = column] = column.split('=')
    return `'${name}', ${row}.${from}`
  })
  return `${WORLD === 'postgres' ? 'json_build_object' : 'json_object'}(${pairs.join(', ')})`
}

function run(database: Database, text: string): Promise<unknown> {
  const statement: Sql = { parts: [text], values: [] }
  return database.query(statement)
}
