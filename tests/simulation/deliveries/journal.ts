import { type Database, type Sql, sql } from '../../../src/ports/database.ts'

export type DeliveryRow = {
  id: string
  webhook_id: string
  team_id: string
  network: string
  kind: 'data' | 'error'
  sequence_number: number | null
  block_number: number | null
  part: number | null
  error: string | null
  previous_sequence: number | null
  state: 'waiting' | 'delivered' | 'failed' | 'cancelled'
  created_at_ms: number
  due_at_ms: number
  attempts_made: number
  lease: string | null
  lease_until_ms: number
  body_bytes: number | null
  replay: 0 | 1
  lane: string
}

export type WebhookRow = {
  id: string
  team_id: string
  app_id: string | null
  url: string
  ordered: 0 | 1
  state: 'active' | 'paused' | 'deleted'
  reason: string | null
  signing_key_sealed: string
  previous_key_sealed: string | null
  previous_key_until_ms: number | null
}

export type TeamRow = { id: string; tier: string; autoscaling: 0 | 1 }

/** The truncation is JSON. */
export type ResultRow = {
  sequence_number: number
  part: number
  data: string
  truncation: string | null
}

export type UsageRow = {
  team_id: string
  hour_ms: number
  app_id: string
  network: string
  method: string
  calls: number
  centi_cu: number
  bytes: number
}

export type MonthRow = { team_id: string; month: string; centi_cu: number }

type Changed<Table extends string, Row> = { table: Table; old: Row | null; now: Row | null }

/** A row before and after a statement; null where there was none. */
export type Change =
  | Changed<'results', ResultRow>
  | Changed<'deliveries', DeliveryRow>
  | Changed<'webhooks', WebhookRow>
  | Changed<'teams', TeamRow>
  | Changed<'usage', UsageRow>
  | Changed<'team_months', MonthRow>

export type ChangeOf<Table extends Change['table']> = Extract<Change, { table: Table }>

const COLUMNS: Readonly<Record<Change['table'], string>> = {
  results: 'sequence_number part data truncation',
  deliveries:
    'id webhook_id team_id network kind sequence_number block_number part error ' +
    'previous_sequence state created_at_ms due_at_ms attempts_made lease lease_until_ms ' +
    'body_bytes replay lane',
  webhooks:
    'id team_id app_id url ordered state reason signing_key_sealed previous_key_sealed ' +
    'previous_key_until_ms',
  teams: 'id tier autoscaling',
  usage: 'team_id hour_ms app_id network method calls centi_cu bytes',
  team_months: 'team_id month centi_cu',
}

/** Between two quotes in comments, or the store would take it for the end of a statement. */
const SEMICOLON = "/*'*/;/*'*/"

/** The store itself notes every row that changes, with the change: both are kept or neither. */
export async function installJournal(database: Database): Promise<void> {
  await run(database, 'CREATE TABLE sim_journal (place INTEGER PRIMARY KEY, change TEXT NOT NULL)')
  for (const table of Object.keys(COLUMNS) as Change['table'][]) {
    await run(database, triggerText(table, 'INSERT', 'NULL', rowText(table, 'NEW')))
    await run(database, triggerText(table, 'UPDATE', rowText(table, 'OLD'), rowText(table, 'NEW')))
    await run(database, triggerText(table, 'DELETE', rowText(table, 'OLD'), 'NULL'))
  }
}

/** What was changed since it was last read, in order. */
export async function readJournal(tx: Database): Promise<Change[]> {
  const rows = await tx.query<{ change: string }>(sql`
    SELECT change FROM sim_journal ORDER BY place`)
  if (rows.length > 0) await tx.query(sql`DELETE FROM sim_journal`)
  return rows.map(({ change }) => JSON.parse(change))
}

function triggerText(table: string, when: string, old: string, now: string): string {
  return `
    CREATE TRIGGER sim_${table}_${when} AFTER ${when} ON ${table} BEGIN
      INSERT INTO sim_journal (change)
      VALUES (json_object('table', '${table}', 'old', ${old}, 'now', ${now}))${SEMICOLON}
    END`
}

function rowText(table: Change['table'], row: 'OLD' | 'NEW'): string {
  const columns = COLUMNS[table].split(' ').map((column) => `'${column}', ${row}.${column}`)
  return `json_object(${columns.join(', ')})`
}

function run(database: Database, text: string): Promise<unknown> {
  const statement: Sql = { parts: [text], values: [] }
  return database.query(statement)
}
