import { type Database, type Sql, type SqlValue, sql } from '../../ports/database.ts'
import { rowChunks } from '../sql/row-chunks.ts'
import { type DeliveryKey, type DeliveryState, isOfEvent, keyOf, stateOf } from './delivery.ts'

/** The change of a delivery by one attempt; it counts while version and attempts are the same. */
export type AttemptRow = DeliveryKey & {
  version: number
  attemptsMade: number
  line: string
  lineBytes: number
  bodyBytes: number
}

export type KnownDelivery = { state: DeliveryState; dataBytes: number }

export type NewDelivery = {
  webhook: number
  part: number | null
  dataBytes: number
  previousSequence: number | null
  /** It was made by a replay, and is sent as a retry is. */
  replay?: boolean
}

export type RemovedDelivery = { webhook: number; state: number; attemptsBytes: number }

const INSERT = sql`
  INSERT INTO deliveries (key, part, data_bytes, previous_sequence, replay, version)
  VALUES (${keyOf(null, null)}, ${null}, ${null}, ${null}, ${null}, ${null})`

/** Beyond 64 KiB there are hundreds of attempts, asked for by hand: then the first are dropped. */
const NOTE_ATTEMPT = sql`attempts_made = attempts_made + 1,
  attempts = CASE WHEN LENGTH(attempts) < 65536 THEN attempts ELSE '' END || ${null},
  attempts_bytes = attempts_bytes + ${null}, body_bytes = ${null}`

const IS_SAME = sql`
  key = ${keyOf(null, null)} AND version = ${null} AND attempts_made = ${null}`

/** Hot path, run for each of hundreds: compares and sets. */
const SETTLE = sql`
  UPDATE deliveries SET state = ${null}, done_at_ms = ${null}, ${NOTE_ATTEMPT}
  WHERE ${IS_SAME} AND state = ${null}`

const NOTE_ON_CANCELLED = sql`
  UPDATE deliveries SET ${NOTE_ATTEMPT} WHERE ${IS_SAME} AND state = 3`

export async function insertDeliveries(
  tx: Database,
  event: number,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  const rows = deliveries.map(({ webhook, part, dataBytes, previousSequence, replay }) => {
    const isReplay = replay ? 1 : 0
    return [event, webhook, part, dataBytes, previousSequence, isReplay, isReplay]
  })
  await Promise.all(rowChunks(rows).map((chunk) => tx.each(INSERT, chunk)))
}

/** Sets the state of those that are in `from` and unchanged since the attempt; 1 or 0 each. */
export function settleRows(
  tx: Database,
  from: 0 | 3,
  to: 0 | 1 | 2,
  rows: readonly (AttemptRow & { doneAtMs: number | null })[],
): Promise<number[]> {
  return tx.each(
    SETTLE,
    rows.map((row) => [to, row.doneAtMs, ...valuesOf(row), from]),
  )
}

/** Notes attempts of what was cancelled meanwhile and has not arrived; 1 or 0 for each. */
export function noteOnCancelled(tx: Database, rows: readonly AttemptRow[]): Promise<number[]> {
  return tx.each(NOTE_ON_CANCELLED, rows.map(valuesOf))
}

/** Until the transaction ends nobody settles it; null when there is none. */
export async function holdDelivery(
  tx: Database,
  { event, webhook }: DeliveryKey,
): Promise<KnownDelivery | null> {
  // PostgreSQL locks a row that is written, even with what it holds; SQLite has one writer.
  const [row] = await tx.query<Omit<KnownDelivery, 'state'> & { state: number }>(sql`
    UPDATE deliveries SET version = version WHERE key = ${keyOf(event, webhook)}
    RETURNING state, data_bytes AS "dataBytes"`)
  return row ? { ...row, state: stateOf(row.state) } : null
}

/** It waits as if it had never been attempted, and an attempt under way does not count. */
export async function restartDelivery(
  tx: Database,
  { event, webhook }: DeliveryKey,
  replayed?: { part: number; dataBytes: number },
): Promise<void> {
  const result = replayed
    ? sql`, replay = 1, part = ${replayed.part}, data_bytes = ${replayed.dataBytes}`
    : sql``
  await tx.query(sql`
    UPDATE deliveries SET state = 0, version = version + 1, attempts_made = 0, done_at_ms = NULL
      ${result}
    WHERE key = ${keyOf(event, webhook)}`)
}

/** The backlog that goes when all that waits for a webhook, or has failed, is cancelled. */
export async function uncancelledSum(
  tx: Database,
  webhook: number,
): Promise<{ count: number; bytes: number }> {
  const [sum] = await tx.query<{ count: number; bytes: number }>(sql`
    SELECT CAST(COUNT(*) AS BIGINT) AS count,
      CAST(COALESCE(SUM(data_bytes), 0) AS BIGINT) AS bytes
    FROM (
      SELECT event, webhook FROM outbox WHERE webhook = ${webhook} AND lane IN (0, 1)
      UNION ALL
      SELECT event, webhook FROM done_deliveries WHERE webhook = ${webhook} AND state = 2
    ) AS entries JOIN deliveries ON deliveries.key = entries.event * 16777216 + entries.webhook
    WHERE part IS NOT NULL`)
  return sum ?? { count: 0, bytes: 0 }
}

/** All that waits for the webhook, or has failed, becomes cancelled. */
export async function cancelRows(tx: Database, webhook: number): Promise<void> {
  await tx.query(sql`
    UPDATE deliveries SET state = 3, done_at_ms = outbox.due_at_ms FROM outbox
    WHERE outbox.webhook = ${webhook}
      AND deliveries.key = outbox.event * 16777216 + outbox.webhook`)
  await tx.query(sql`
    UPDATE deliveries SET state = 3 FROM done_deliveries
    WHERE done_deliveries.webhook = ${webhook} AND done_deliveries.state = 2
      AND deliveries.key = done_deliveries.event * 16777216 + done_deliveries.webhook`)
}

/** Removes those of the deliveries that are done. */
export function removeDone(tx: Database, which: Sql): Promise<RemovedDelivery[]> {
  return tx.query(sql`
    DELETE FROM deliveries WHERE ${which} AND state IN (1, 3)
    RETURNING key % 16777216 AS webhook, state, attempts_bytes AS "attemptsBytes"`)
}

export function doneOf(
  tx: Database,
  event: number,
): Promise<(DeliveryKey & { doneAtMs: number })[]> {
  return tx.query(sql`
    SELECT key / 16777216 AS event, key % 16777216 AS webhook, done_at_ms AS "doneAtMs"
    FROM deliveries WHERE ${isOfEvent('deliveries', event)} AND state IN (1, 3)`)
}

/** As `NOTE_ATTEMPT` and `IS_SAME` take them. */
function valuesOf(row: AttemptRow): SqlValue[] {
  const { line, lineBytes, bodyBytes, event, webhook, version, attemptsMade } = row
  return [line, lineBytes, bodyBytes, event, webhook, version, attemptsMade]
}
