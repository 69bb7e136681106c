import { type Database, sql } from '../../../src/ports/database.ts'
import { undeliveredBytes } from '../../../src/tables/deliveries/team-backlogs.ts'
import { logBytes, logBytesOf } from '../../../src/tables/usage/log-bytes.ts'
import { LAST_LISTED } from '../deliveries/stored-deliveries.ts'

/** By how much the size of the log that is kept differs from what is counted row by row. */
export async function bytesMiscounted(db: Database): Promise<number> {
  const rows = await db.query<{ attempts_bytes: number }>(
    sql`SELECT attempts_bytes FROM deliveries`,
  )
  const results = await db.query<{ bytes: number }>(sql`SELECT bytes FROM results`)
  const attempts = rows.reduce((sum, { attempts_bytes }) => sum + attempts_bytes, 0)
  return (await logBytes(db)) - logBytesOf(results, rows.length) - attempts
}

/** The same for what teams have undelivered; only those that differ. */
export async function backlogsMiscounted(db: Database): Promise<Record<string, number>> {
  const wrong: Record<string, number> = {}
  const add = (teamId: string, bytes: number) => {
    wrong[teamId] = (wrong[teamId] ?? 0) + bytes
  }
  const rows = await db.query<{ team_id: string; data_bytes: number }>(sql`
    SELECT webhooks.team_id, deliveries.data_bytes
    FROM deliveries JOIN webhooks ON webhooks.number = deliveries.key % 16777216
    WHERE deliveries.part IS NOT NULL AND deliveries.state IN (0, 2)`)
  for (const row of rows) add(row.team_id, undeliveredBytes(row.data_bytes))
  const kept = await db.query<{ team_id: string; bytes: number }>(sql`
    SELECT team_id, bytes FROM team_backlogs`)
  for (const { team_id, bytes } of kept) add(team_id, -bytes)
  return Object.fromEntries(Object.entries(wrong).filter(([, bytes]) => bytes !== 0))
}

/**
 * Deliveries that are not in exactly the one list of their state, as `event webhook`; new ones
 * that are delivered are in none.
 */
export async function listedWrongly(db: Database): Promise<string[]> {
  const rows = await db.query<{ what: string }>(sql`
    SELECT (key / 16777216) || ' ' || (key % 16777216) || ' ' || state AS what FROM deliveries
    EXCEPT SELECT event || ' ' || webhook || ' 0' FROM outbox
    EXCEPT SELECT event || ' ' || webhook || ' ' || state FROM done_deliveries
    EXCEPT SELECT (key / 16777216) || ' ' || (key % 16777216) || ' 1' FROM deliveries
    WHERE key / 16777216 > ${LAST_LISTED}`)
  const strays = await db.query<{ what: string }>(sql`
    SELECT what FROM (
      SELECT event || ' ' || webhook || ' 0' AS what FROM outbox
      UNION ALL SELECT event || ' ' || webhook || ' ' || state FROM done_deliveries) AS listed
    EXCEPT SELECT (key / 16777216) || ' ' || (key % 16777216) || ' ' || state FROM deliveries
    WHERE state <> 1 OR key / 16777216 <= ${LAST_LISTED}`)
  return [...rows, ...strays].map(({ what }) => what)
}
