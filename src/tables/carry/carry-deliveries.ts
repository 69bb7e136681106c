import { type Database, type SqlValue, sql, sqlRows } from '../../ports/database.ts'
import { keyOf, stateNumber } from '../deliveries/delivery.ts'
import { readRevision } from '../sql/revisions.ts'
import { logBytesOf, REST } from '../usage/log-bytes.ts'
import {
  type CarriedDelivery,
  carriedRow,
  carriedSheet,
  errorNumber,
  type OldRow,
  type OldSheet,
  type OldWebhook,
  webhooksOn,
} from './carried-delivery.ts'

/** Rows read and written at once, so that memory does not grow with the log. */
const ROWS_AT_ONCE = 1_000
const SHEETS_AT_ONCE = 16

const INSERT = sql`
  INSERT INTO deliveries
    (key, part, data_bytes, previous_sequence, state, version, attempts_made, replay, done_at_ms,
    body_bytes, attempts_bytes, attempts)
  VALUES (${keyOf(null, null)}, ${null}, ${null}, ${null}, ${null}, ${null}, ${null}, ${null},
    ${null}, ${null}, ${null}, ${null})`

const INSERT_WAITING = sql`
  INSERT INTO outbox (webhook, lane, event, due_at_ms)
  VALUES (${null}, ${null}, ${null}, ${null})`

const INSERT_DONE = sql`
  INSERT INTO done_deliveries (webhook, state, event) VALUES (${null}, ${null}, ${null})`

/**
 * Carries the deliveries of version 6 over: rows in every state, and what stood on sheets.
 * Their ids, attempts and times stay; what waits goes on waiting. Only SQLite ever had that
 * version, so that its own words may be used where there is anything to carry.
 */
export async function carryDeliveries(tx: Database): Promise<void> {
  const old = await tx.query(sql`
    SELECT 1 AS one FROM old_deliveries UNION ALL SELECT 1 AS one FROM sheets LIMIT 1`)
  if (old.length > 0) {
    await numberErrors(tx)
    await carryEvents(tx)
    await carryRows(tx)
    await carrySheets(tx)
    await carryResults(tx)
    await countAnew(tx)
    await tx.query(sql`DROP TABLE carried_errors`)
    await tx.query(sql`DROP TABLE carried_parts`)
  }
  await tx.query(sql`
    INSERT INTO webhook_marks (webhook, sequence_number)
    SELECT webhooks.number, old_marks.sequence_number
    FROM old_marks JOIN webhooks ON webhooks.id = old_marks.webhook_id`)
  await tx.query(sql`DROP TABLE old_deliveries`)
  await tx.query(sql`DROP TABLE old_results`)
  await tx.query(sql`DROP TABLE old_marks`)
  await tx.query(sql`DROP TABLE sheets`)
  await tx.query(sql`DROP TABLE log_spans`)
}

async function numberErrors(tx: Database): Promise<void> {
  await tx.query(sql`
    CREATE TABLE carried_errors (id TEXT PRIMARY KEY, sequence_number BIGINT NOT NULL)`)
  const revisionMax = await readRevision(tx, 'webhooks')
  const errors = await tx.query<{ id: string; webhook_id: string }>(sql`
    SELECT id, webhook_id FROM old_deliveries WHERE kind = 'error'`)
  await tx.each(
    sql`INSERT INTO carried_errors (id, sequence_number) VALUES (${null}, ${null})`,
    errors.map(({ id, webhook_id }) => [id, errorNumber(id, webhook_id, revisionMax)]),
  )
}

/** Numbered in the order in which they were made, which is that of the log. */
async function carryEvents(tx: Database): Promise<void> {
  await tx.query(sql`
    INSERT INTO events
      (network, sequence_number, block_number, block_hash, error, created_at_ms, parts)
    SELECT network, sequence_number, block_number, block_hash, error, created_at_ms, 0 FROM (
      SELECT network, sequence_number, block_number, block_hash, NULL AS error, created_at_ms
      FROM sheets
      UNION
      SELECT network, sequence_number, block_number, block_hash, NULL AS error, created_at_ms
      FROM old_deliveries WHERE kind = 'data'
      UNION
      SELECT network, carried_errors.sequence_number, NULL, NULL, error, created_at_ms
      FROM carried_errors JOIN old_deliveries ON old_deliveries.id = carried_errors.id)
    ORDER BY created_at_ms, sequence_number, network`)
}

async function carryRows(tx: Database): Promise<void> {
  for (let last = 0; ; ) {
    const rows = await tx.query<OldRow>(sql`
      SELECT old.rowid AS place, events.event, webhooks.number AS webhook,
        webhooks.state AS webhook_state, old.kind, old.part, old.data_bytes,
        old.previous_sequence, old.state, old.lane, old.due_at_ms, old.done_at_ms,
        old.attempts_made, old.replay, old.body_bytes, old.attempts
      FROM old_deliveries AS old
        CROSS JOIN webhooks ON webhooks.id = old.webhook_id
        LEFT JOIN carried_errors ON carried_errors.id = old.id
        CROSS JOIN events ON events.network = old.network
          AND events.sequence_number
            = COALESCE(carried_errors.sequence_number, old.sequence_number)
          AND events.created_at_ms = old.created_at_ms
          AND events.block_hash IS old.block_hash AND events.error IS old.error
      WHERE old.rowid > ${last} ORDER BY old.rowid LIMIT ${ROWS_AT_ONCE}`)
    await insertCarried(tx, rows.map(carriedRow))
    if (rows.length < ROWS_AT_ONCE) return
    last = rows.at(-1)?.place ?? 0
  }
}

async function carrySheets(tx: Database): Promise<void> {
  for (let last = 0; ; ) {
    const sheets = await tx.query<OldSheet>(sql`
      SELECT sheets.rowid AS place, events.event, sheets.created_at_ms, sheets.marks,
        sheets.receivers, sheets.arrivals
      FROM sheets CROSS JOIN events ON events.network = sheets.network
        AND events.sequence_number = sheets.sequence_number
        AND events.created_at_ms = sheets.created_at_ms
        AND events.block_hash = sheets.block_hash
      WHERE sheets.rowid > ${last} ORDER BY sheets.rowid LIMIT ${SHEETS_AT_ONCE}`)
    const webhooks = await webhooksCalled(tx, new Set(sheets.flatMap(webhooksOn)))
    const carried = sheets.flatMap((sheet) => carriedSheet(sheet, webhooks))
    await insertCarried(tx, carried)
    if (sheets.length < SHEETS_AT_ONCE) return
    last = sheets.at(-1)?.place ?? 0
  }
}

async function webhooksCalled(
  tx: Database,
  ids: ReadonlySet<string>,
): Promise<Map<string, OldWebhook>> {
  const rows = await tx.query<OldWebhook & { id: string }>(sql`
    SELECT id, number, state FROM webhooks WHERE id IN ${sqlRows([[...ids]])}`)
  return new Map(rows.map((row) => [row.id, row]))
}

async function insertCarried(tx: Database, carried: readonly CarriedDelivery[]): Promise<void> {
  const waiting = carried.filter(({ state }) => state === 'waiting')
  const done = carried.filter(({ state }) => state !== 'waiting')
  await tx.each(INSERT, carried.map(valuesOf))
  await tx.each(
    INSERT_WAITING,
    waiting.map(({ webhook, lane, event, dueAtMs }) => [webhook, lane, event, dueAtMs]),
  )
  await tx.each(
    INSERT_DONE,
    done.map(({ webhook, state, event }) => [webhook, stateNumber(state), event]),
  )
}

function valuesOf(one: CarriedDelivery): SqlValue[] {
  return [
    one.event,
    one.webhook,
    one.part,
    one.dataBytes,
    one.previousSequence,
    stateNumber(one.state),
    one.version,
    one.attemptsMade,
    one.replay,
    one.doneAtMs,
    one.bodyBytes,
    Buffer.byteLength(one.attempts),
    one.attempts,
  ]
}

/** Replays numbered their results by the time; a key has no room for that. */
async function carryResults(tx: Database): Promise<void> {
  await tx.query(sql`
    CREATE TABLE carried_parts
      (event BIGINT, old_part BIGINT, part BIGINT, PRIMARY KEY (event, old_part)) WITHOUT ROWID`)
  await tx.query(sql`
    INSERT INTO carried_parts (event, old_part, part)
    SELECT event, part, ROW_NUMBER() OVER (PARTITION BY event ORDER BY part) - 1 FROM (
      SELECT DISTINCT key / 16777216 AS event, part FROM deliveries WHERE part IS NOT NULL)`)
  await tx.query(sql`
    INSERT INTO results (key, bytes, truncation, data)
    SELECT carried.event * 16777216 + carried.part, old.bytes, old.truncation, old.data
    FROM carried_parts AS carried CROSS JOIN events ON events.event = carried.event
      CROSS JOIN old_results AS old ON old.network = events.network
        AND old.sequence_number = events.sequence_number AND old.part = carried.old_part
    ORDER BY carried.event, carried.old_part`)
  await tx.query(sql`
    UPDATE deliveries SET part = carried.part FROM carried_parts AS carried
    WHERE carried.part <> carried.old_part AND deliveries.part = carried.old_part
      AND deliveries.key >= carried.event * 16777216
      AND deliveries.key < (carried.event + 1) * 16777216`)
  await tx.query(sql`
    UPDATE events SET parts = (
      SELECT COUNT(*) FROM carried_parts WHERE carried_parts.event = events.event)`)
  await tx.query(sql`
    UPDATE events SET webhook = replayed.webhook FROM (
      SELECT key / 16777216 AS event, MIN(key % 16777216) AS webhook FROM deliveries
      GROUP BY key / 16777216 HAVING COUNT(*) = 1 AND MIN(replay) = 1) AS replayed
    WHERE replayed.event = events.event`)
}

/** Attempts are stored in fewer bytes now, and old counters may have been inexact. */
async function countAnew(tx: Database): Promise<void> {
  const deliveryBytes = logBytesOf([], 1)
  await tx.query(sql`DELETE FROM log_sizes`)
  await tx.query(sql`
    INSERT INTO log_sizes (part, bytes)
    SELECT network, SUM(bytes) FROM (
      SELECT key / 16777216 AS event, ${deliveryBytes} AS bytes FROM deliveries
      UNION ALL
      SELECT event, data_bytes FROM (
        SELECT DISTINCT key / 16777216 AS event, part, data_bytes FROM deliveries
        WHERE part IS NOT NULL)) AS parts
      JOIN events ON events.event = parts.event
    GROUP BY network`)
  await tx.query(sql`
    INSERT INTO log_sizes (part, bytes)
    SELECT ${REST}, COALESCE(SUM(attempts_bytes), 0) FROM deliveries`)
  await tx.query(sql`UPDATE team_backlogs SET bytes = 0`)
  await tx.query(sql`
    INSERT INTO team_backlogs (team_id, bytes)
    SELECT webhooks.team_id, SUM(deliveries.data_bytes + ${deliveryBytes})
    FROM deliveries JOIN webhooks ON webhooks.number = deliveries.key % 16777216
    WHERE deliveries.state IN (0, 2) AND deliveries.part IS NOT NULL GROUP BY webhooks.team_id
    ON CONFLICT (team_id) DO UPDATE SET bytes = excluded.bytes`)
}
