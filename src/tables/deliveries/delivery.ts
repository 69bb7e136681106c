import { deliveryId } from '../../core/delivery/delivery-id.ts'
import { type Sql, type SqlValue, sql } from '../../ports/database.ts'

export type DeliveryKey = { event: number; webhook: number }

/** In the order of the numbers that the tables have for them. */
const STATES = ['waiting', 'delivered', 'failed', 'cancelled'] as const

export type DeliveryState = (typeof STATES)[number]

/**
 * Which of a webhook's waiting deliveries are meant: new ones, those that are sent again
 * (retries, resends, replays), the one whose turn it is when all go strictly one after the
 * other, or errors, which go out while the webhook is paused too. 'ordered' is a question only:
 * nothing is stored under it.
 */
export type Lane = 'new' | 'retry' | 'ordered' | 'error'

/** All that is needed to attempt a delivery, except the text of its result. */
export type Delivery = DeliveryKey & {
  /** The public id, the same whenever the event is sent to the webhook again. */
  id: string
  webhookId: string
  teamId: string
  network: string
  kind: 'data' | 'error'
  /** Errors have neither a sequence number nor a block nor a result. */
  sequenceNumber: number | null
  blockNumber: number | null
  blockHash: string | null
  /** Which of the event's results it carries. */
  part: number | null
  /** Bytes of that result; 0 for an error. */
  dataBytes: number
  error: string | null
  /** The number of the delivery before this one to the same webhook. */
  previousSequence: number | null
  replay: boolean
  createdAtMs: number
  /** Grows whenever it is sent anew: the outcome of an attempt from before does not count. */
  version: number
  /** Attempts since it was last sent anew. */
  attemptsMade: number
}

export type DeliveryRow = {
  event: number
  webhook: number
  webhook_id: string
  team_id: string
  network: string
  sequence_number: number
  block_number: number | null
  block_hash: string | null
  part: number | null
  data_bytes: number
  error: string | null
  previous_sequence: number | null
  replay: number
  created_at_ms: number
  version: number
  attempts_made: number
}

/** The columns of a `DeliveryRow`, where its event and webhook are joined to a delivery. */
export const deliveryColumns = (event: Sql, webhook: Sql) => sql`
  ${event} AS event, ${webhook} AS webhook, webhooks.id AS webhook_id, webhooks.team_id, events.network,
  events.sequence_number, events.block_number, events.block_hash, deliveries.part,
  deliveries.data_bytes, events.error, deliveries.previous_sequence, deliveries.replay,
  events.created_at_ms, deliveries.version, deliveries.attempts_made`

/** The same where `DELIVERY_OF_ENTRY` is joined. */
export const DELIVERY_COLUMNS = deliveryColumns(sql`entries.event`, sql`entries.webhook`)

/** Joins a delivery to the `entries` of whatever names it by event and webhook. */
export const DELIVERY_OF_ENTRY = sql`
  JOIN deliveries ON deliveries.key = entries.event * 16777216 + entries.webhook
  JOIN events ON events.event = entries.event
  JOIN webhooks ON webhooks.number = entries.webhook`

/** The key of a delivery, or of a result by its part, which is computed in the database only. */
export function keyOf(event: SqlValue, webhook: SqlValue): Sql {
  return sql`CAST(${event} AS BIGINT) * 16777216 + ${webhook}`
}

export function isOfEvent(of: 'deliveries' | 'results', event: number): Sql {
  const key = of === 'deliveries' ? sql`deliveries.key` : sql`results.key`
  return sql`${key} >= ${keyOf(event, 0)} AND ${key} < ${keyOf(event + 1, 0)}`
}

export function stateNumber(state: DeliveryState): number {
  return STATES.indexOf(state)
}

export function stateOf(number: number): DeliveryState {
  return STATES[number] ?? 'cancelled'
}

export function deliveryOf(row: DeliveryRow): Delivery {
  const isError = row.error !== null
  return {
    event: row.event,
    webhook: row.webhook,
    id: deliveryId(row.webhook_id, row.sequence_number),
    webhookId: row.webhook_id,
    teamId: row.team_id,
    network: row.network,
    kind: isError ? 'error' : 'data',
    sequenceNumber: isError ? null : row.sequence_number,
    blockNumber: row.block_number,
    blockHash: row.block_hash,
    part: row.part,
    dataBytes: row.data_bytes,
    error: row.error,
    previousSequence: row.previous_sequence,
    replay: row.replay === 1,
    createdAtMs: row.created_at_ms,
    version: row.version,
    attemptsMade: row.attempts_made,
  }
}
