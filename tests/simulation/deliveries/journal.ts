import { type Database, type Sql, sql } from '../../../src/ports/database.ts'
import type { Change } from './journal-changes.ts'
import { withoutSheets } from './sheet-changes.ts'

const COLUMNS: Readonly<Record<Change['table'], string>> = {
  results: 'sequence_number part data truncation',
  deliveries:
    'id webhook_id team_id network kind sequence_number block_number part error ' +
    'previous_sequence state created_at_ms due_at_ms attempts_made lease lease_until_ms ' +
    'body_bytes replay lane data_bytes',
  webhooks:
    'id team_id app_id url ordered state reason signing_key_sealed previous_key_sealed ' +
    'previous_key_until_ms',
  teams: 'id tier autoscaling',
  usage: 'team_id hour_ms app_id network method calls centi_cu bytes',
  team_months: 'team_id month centi_cu',
}

const SHEET_COLUMNS =
  'network sequence_number sheet block_number block_hash created_at_ms open marks receivers arrivals'

/** Between two quotes in comments, or the store would take it for the end of a statement. */
const SEMICOLON = "/*'*/;/*'*/"

/** The store itself notes every row that changes, with the change: both are kept or neither. */
export async function installJournal(database: Database): Promise<void> {
  await run(database, 'CREATE TABLE sim_journal (place INTEGER PRIMARY KEY, change TEXT NOT NULL)')
  for (const [table, columns] of Object.entries({ ...COLUMNS, sheets: SHEET_COLUMNS })) {
    const old = rowText(columns, 'OLD')
    const now = rowText(columns, 'NEW')
    await run(database, triggerText(table, 'INSERT', 'NULL', now))
    await run(database, triggerText(table, 'UPDATE', old, now))
    await run(database, triggerText(table, 'DELETE', old, 'NULL'))
  }
}

/** What was changed since it was last read, in order. */
export async function readJournal(tx: Database): Promise<Change[]> {
  const rows = await tx.query<{ change: string }>(sql`
    SELECT change FROM sim_journal ORDER BY place`)
  if (rows.length > 0) await tx.query(sql`DELETE FROM sim_journal`)
  return withoutSheets(rows.map(({ change }) => JSON.parse(change)))
}

function triggerText(table: string, when: string, old: string, now: string): string {
  return `
    CREATE TRIGGER sim_${table}_${when} AFTER ${when} ON ${table} BEGIN
      INSERT INTO sim_journal (change)
      VALUES (json_object('table', '${table}', 'old', ${old}, 'now', ${now}))${SEMICOLON}
    END`
}

function rowText(columns: string, row: 'OLD' | 'NEW'): string {
  const pairs = columns.split(' ').map((column) => `'${column}', ${row}.${column}`)
  return `json_object(${pairs.join(', ')})`
}

function run(database: Database, text: string): Promise<unknown> {
  const statement: Sql = { parts: [text], values: [] }
  return database.query(statement)
}
