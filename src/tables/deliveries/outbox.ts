import { type Database, type Sql, type SqlValue, sql, sqlRows } from '../../ports/database.ts'
import { listChunks } from '../sql/row-chunks.ts'
import {
  DELIVERY_COLUMNS,
  DELIVERY_OF_ENTRY,
  type Delivery,
  type DeliveryKey,
  type DeliveryRow,
  deliveryColumns,
  deliveryOf,
  isOfEvent,
  type Lane,
} from './delivery.ts'
import { SHARDS } from './shards.ts'

export type OutboxQuestion = {
  lane: Lane
  nowMs: number
  limit: number
  /** Only what comes after this event; for the lane 'new'. */
  after?: number
}

/** The lane a delivery waits in, as the table has it. */
export const LANE = { new: 0, retry: 1, error: 2 } as const

type StoredLane = (typeof LANE)[keyof typeof LANE]

export type OutboxEntry = DeliveryKey & { lane: StoredLane }

/** Written out, since one of the indexes has retries only. */
const LANE_IS = { new: sql`lane = 0`, retry: sql`lane = 1`, error: sql`lane = 2` }

/** More than are due in a moment; those beyond are found by who looks for all that waits. */
const DUE_WEBHOOKS_MAX = 10_000

const DELETE = sql`
  DELETE FROM outbox WHERE webhook = ${null} AND lane = ${null} AND event = ${null}`

const POSTPONE = sql`
  UPDATE outbox SET lane = ${null}, due_at_ms = ${null}
  WHERE webhook = ${null} AND lane = ${null} AND event = ${null}`

/**
 * Deliveries of a webhook that wait and are due. 'new' and 'error' come by event, 'retry' by due
 * time; 'ordered' is the oldest of all new ones and retries, if it is due. Nothing but errors
 * when the webhook is not active.
 */
export async function waitingDeliveries(
  db: Database,
  webhook: number,
  question: OutboxQuestion,
): Promise<Delivery[]> {
  const { lane, limit } = question
  const isSent = lane === 'error' ? sql`` : sql`AND webhooks.state = 'active'`
  const { entries, order } = entriesIn(webhook, question)
  const rows = await db.query<DeliveryRow>(sql`
    SELECT ${DELIVERY_COLUMNS} FROM (${entries}) AS entries ${DELIVERY_OF_ENTRY} ${isSent}
    ORDER BY ${order} LIMIT ${limit}`)
  return rows.map(deliveryOf)
}

/**
 * The deliveries of an event that wait for their first attempt, to webhooks of these shards. Hot
 * path: shards are one text of digits, since hundreds of values take longer than the rest.
 */
export async function newDeliveriesOf(
  db: Database,
  event: number,
  shards: ReadonlySet<number>,
  limit: number,
): Promise<Delivery[]> {
  const digits = Array.from({ length: SHARDS }, (_, shard) => (shards.has(shard) ? '1' : '0'))
  const rows = await db.query<DeliveryRow>(sql`
    SELECT ${deliveryColumns(sql`events.event`, sql`webhooks.number`)}
    FROM deliveries JOIN events ON events.event = ${event}
      JOIN webhooks ON webhooks.number = deliveries.key % 16777216
    WHERE ${isOfEvent('deliveries', event)} AND events.error IS NULL AND deliveries.state = 0
      AND deliveries.version = 0 AND deliveries.attempts_made = 0 AND webhooks.state = 'active'
      AND SUBSTR(${digits.join('')}, CAST(deliveries.key % ${SHARDS} AS INTEGER) + 1, 1) = '1'
    ORDER BY deliveries.key LIMIT ${limit}`)
  return rows.map(deliveryOf)
}

function entriesIn(
  webhook: number,
  { lane, nowMs, limit, after = 0 }: OutboxQuestion,
): { entries: Sql; order: Sql } {
  const waiting = (where: Sql, order: Sql, count: number) => sql`
    SELECT webhook, event, due_at_ms FROM outbox WHERE webhook = ${webhook} AND ${where}
    ORDER BY ${order} LIMIT ${count}`
  if (lane !== 'ordered') {
    const isMeant = lane === 'new' ? sql`event > ${after}` : sql`due_at_ms <= ${nowMs}`
    const by = lane === 'retry' ? sql`due_at_ms` : sql`event`
    const entries = waiting(sql`${LANE_IS[lane]} AND ${isMeant}`, by, limit)
    return { entries, order: sql`entries.${by}` }
  }
  // The first of all that wait, whether it is due or not: it holds up those behind it. What is
  // new is due at once, whatever the clock says: that of another process may be ahead of ours.
  const head = (of: 'new' | 'retry', due: Sql) => sql`
    SELECT webhook, event, ${due} AS due_at_ms FROM (
      ${waiting(sql`lane = ${LANE[of]}`, sql`event`, 1)}) AS head`
  const heads = sql`${head('new', sql`0`)} UNION ALL ${head('retry', sql`due_at_ms`)}`
  const entries = sql`
    SELECT webhook, event, due_at_ms FROM (
      SELECT webhook, event, due_at_ms FROM (${heads}) AS heads ORDER BY event LIMIT 1) AS oldest
    WHERE due_at_ms <= ${nowMs}`
  return { entries, order: sql`entries.event` }
}

export type WaitingWebhook = {
  webhook: number
  newest: number | null
  /** When the oldest of its new deliveries was committed; null where there is none. */
  sinceMs: number | null
}

/** A page of them in the order of their numbers. */
export function webhooksWaiting(
  db: Database,
  after: number,
  limit: number,
): Promise<WaitingWebhook[]> {
  const next = (beyond: Sql) => sql`(SELECT MIN(webhook) FROM outbox WHERE webhook > ${beyond})`
  // From one webhook to the next: one with a million waiting takes no longer than any other.
  return db.query(sql`
    SELECT webhook, (
      SELECT MAX(event) FROM outbox WHERE outbox.webhook = waiting.webhook AND lane = 0) AS newest, (
      SELECT due_at_ms FROM outbox WHERE outbox.webhook = waiting.webhook AND lane = 0
      ORDER BY event LIMIT 1) AS "sinceMs"
    FROM (
      WITH RECURSIVE found (webhook, place) AS (
        SELECT ${next(sql`CAST(${after} AS BIGINT)`)}, 1
        UNION ALL
        SELECT ${next(sql`found.webhook`)}, found.place + 1 FROM found
        WHERE found.webhook IS NOT NULL AND found.place < ${limit})
      SELECT webhook FROM found WHERE webhook IS NOT NULL) AS waiting
    ORDER BY webhook`)
}

/** Webhooks with a retry or an error due in (fromMs, toMs]. New deliveries have no due time. */
export async function webhooksDueBetween(
  db: Database,
  fromMs: number,
  toMs: number,
): Promise<number[]> {
  const rows = await db.query<{ webhook: number }>(sql`
    SELECT DISTINCT webhook FROM outbox
    WHERE lane > 0 AND due_at_ms > ${fromMs} AND due_at_ms <= ${toMs}
    LIMIT ${DUE_WEBHOOKS_MAX}`)
  return rows.map(({ webhook }) => webhook)
}

/** How many deliveries wait for a webhook; counted up to `countMax`. */
export async function waitingCount(
  db: Database,
  webhookId: string,
  countMax: number,
): Promise<number> {
  const [counted] = await db.query<{ count: number }>(sql`
    SELECT CAST(COUNT(*) AS BIGINT) AS count FROM (
      SELECT 1 FROM outbox
      WHERE webhook = (SELECT number FROM webhooks WHERE id = ${webhookId})
      LIMIT ${countMax}) AS waiting`)
  return counted?.count ?? 0
}

export async function waitingErrors(
  tx: Database,
  webhooks: readonly number[],
  message: string,
): Promise<OutboxEntry[]> {
  const found: OutboxEntry[] = []
  for (const chunk of listChunks(webhooks)) {
    const rows = await tx.query<DeliveryKey>(sql`
      SELECT webhook, MAX(event) AS event FROM outbox
      WHERE webhook IN ${sqlRows([chunk])} AND lane = 2
        AND (SELECT error FROM events WHERE events.event = outbox.event) = ${message}
      GROUP BY webhook ORDER BY webhook`)
    for (const { webhook, event } of rows) found.push({ webhook, event, lane: LANE.error })
  }
  return found
}

export async function enqueue(
  tx: Database,
  { event, webhook, lane }: OutboxEntry,
  dueAtMs: number,
): Promise<void> {
  await tx.query(sql`
    INSERT INTO outbox (webhook, lane, event, due_at_ms)
    VALUES (${webhook}, ${lane}, ${event}, ${dueAtMs})`)
}

/** Puts all deliveries of a new event into the outbox. Hot path: faster than one by one. */
export async function enqueueEvent(
  tx: Database,
  { event, lane }: Omit<OutboxEntry, 'webhook'>,
  dueAtMs: number,
): Promise<void> {
  await tx.query(sql`
    INSERT INTO outbox (webhook, lane, event, due_at_ms)
    SELECT key % 16777216, CAST(${lane} AS BIGINT), CAST(${event} AS BIGINT),
      CAST(${dueAtMs} AS BIGINT)
    FROM deliveries WHERE ${isOfEvent('deliveries', event)}`)
}

export async function dequeue(tx: Database, entries: readonly OutboxEntry[]): Promise<void> {
  if (entries.length > 0) await tx.each(DELETE, entries.map(valuesOf))
}

export async function postpone(
  tx: Database,
  entries: readonly (OutboxEntry & { dueAtMs: number })[],
): Promise<void> {
  const rows = entries.map((entry) => {
    const lane = entry.lane === LANE.new ? LANE.retry : entry.lane
    return [lane, entry.dueAtMs, ...valuesOf(entry)]
  })
  if (rows.length > 0) await tx.each(POSTPONE, rows)
}

/** Takes out all that waits for a webhook, or what waits of one delivery. */
export async function dequeueAll(
  tx: Database,
  { webhook, event }: { webhook: number; event?: number },
): Promise<void> {
  const only = event === undefined ? sql`` : sql`AND lane IN (0, 1, 2) AND event = ${event}`
  await tx.query(sql`DELETE FROM outbox WHERE webhook = ${webhook} ${only}`)
}

function valuesOf({ webhook, lane, event }: OutboxEntry): SqlValue[] {
  return [webhook, lane, event]
}
