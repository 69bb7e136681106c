import { type Database, type Sql, sql } from '../../../src/ports/database.ts'
import { lineOfAttempt } from '../../../src/tables/deliveries/attempt-facts.ts'
import { WORLD } from '../product/world.ts'
import { addWebhooks, insertTeams, NETWORK, webhookCalled } from './webhook-store.ts'

/** The moment of the last event, in the middle of a day. */
export const LOG_END_MS = Date.UTC(2026, 10, 16, 12)

type LongLog = {
  webhooks: number
  events: number
  /** From the first event to the last. */
  spreadMs: number
}

/** Events at the end whose deliveries SQLite has not listed. */
const UNLISTED = 40

const LINE = lineOfAttempt({
  startedAtMs: 1_794_702_600_005,
  status: 200,
  fault: null,
  ms: { lookup: 1, connect: 2, tls: 0, answer: 3, total: 6 },
  bodyStart: 'thanks',
  address: '192.0.2.7',
  queue: 'new',
})

/**
 * A log with a delivery of each event for each webhook of team A, written by few statements: one in
 * a hundred has failed, one waits, one in 200 was attempted three times, and one event in a hundred
 * ran its height again. The number of the event before the first.
 */
export async function fillLongLog(db: Database, log: LongLog): Promise<number> {
  const { webhooks, events, spreadMs } = log
  await insertTeams(db)
  const names = Array.from({ length: webhooks }, (_, at) => `wh_${String(at + 1).padStart(4, '0')}`)
  await addWebhooks(db, ...names.map((name) => webhookCalled(name)))
  const before = await lastNumber(db)
  const counted = countedTo(events)
  const stepMs = Math.floor(spreadMs / events)
  await db.query(sql`
    INSERT INTO events (event, network, sequence_number, block_number, block_hash, created_at_ms,
      parts, rerun)
    SELECT ${before} + n, ${NETWORK}, ${1_000_000_000_000} + n, n, '0x1',
      ${LOG_END_MS} - (${events} - n) * CAST(${stepMs} AS BIGINT), 1,
      CASE WHEN n % 100 = 7 THEN 1 ELSE 0 END
    FROM ${counted}`)
  await db.query(sql`
    INSERT INTO deliveries (key, part, data_bytes, state, attempts_made, done_at_ms, body_bytes,
      attempts_bytes, attempts)
    SELECT CAST(${before} + n AS BIGINT) * 16777216 + number, 0, 400,
      CASE (n * 7 + number) % 100 WHEN 0 THEN 2 WHEN 1 THEN 0 ELSE 1 END,
      CASE WHEN (n * 13 + number) % 200 = 0 THEN 3 ELSE 1 END,
      CAST(${LOG_END_MS} AS BIGINT), 700, 100, CAST(${`${LINE}\n`} AS TEXT)
    FROM ${counted}, webhooks ORDER BY 1`)
  await db.query(sql`
    INSERT INTO outbox (webhook, lane, event, due_at_ms)
    SELECT key % 16777216, 0, key / 16777216, CAST(${LOG_END_MS} AS BIGINT) FROM deliveries
    WHERE state = 0`)
  const listed = WORLD === 'postgres' ? events : events - UNLISTED
  await db.query(sql`
    INSERT INTO done_deliveries (webhook, state, event)
    SELECT key % 16777216, state, key / 16777216 FROM deliveries
    WHERE state = 2 OR state = 1 AND key < CAST(${before + listed + 1} AS BIGINT) * 16777216
    ORDER BY 1, 2, 3`)
  await db.query(
    sql`UPDATE listing SET event = ${before + listed}, next_event = ${before + listed}`,
  )
  if (WORLD === 'postgres') await db.query(sql`ANALYZE`)
  return before
}

/** The day of the tests has its partitions from the first number on. */
async function lastNumber(db: Database): Promise<number> {
  if (WORLD !== 'postgres') return 0
  const [last] = await db.query<{ last_value: number }>(sql`SELECT last_value FROM event_numbers`)
  return last?.last_value ?? 0
}

function countedTo(last: number): Sql {
  if (WORLD === 'postgres') {
    return sql`(SELECT CAST(n AS BIGINT) AS n FROM generate_series(1, CAST(${last} AS INT)) AS n) AS counted`
  }
  return sql`(
    WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ${last})
    SELECT n FROM counted) AS counted`
}
