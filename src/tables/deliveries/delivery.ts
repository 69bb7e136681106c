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

export type DeliveryRow = Omit<Delivery, 'id' | 'kind' | 'sequenceNumber' | 'replay'> & {
  sequenceNumber: number
  replay: number
}

/** The columns of a `DeliveryRow`, where its event and webhook are joined to a delivery. */
export const deliveryColumns = (event: Sql, webhook: Sql) => sql`
  ${event} AS event, ${webhook} AS webhook, webhooks.id AS "webhookId",
  webhooks.team_id AS "teamId", events.network, events.sequence_number AS "sequenceNumber",
  events.block_number AS "blockNumber", events.block_hash AS "blockHash", deliveries.part,
  deliveries.data_bytes AS "dataBytes", events.error,
  deliveries.previous_sequence AS "previousSequence", deliveries.replay,
  events.created_at_ms AS "createdAtMs", deliveries.version,
  deliveries.attempts_made AS "attemptsMade"`

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
    ...row,
    id: deliveryId(row.webhookId, row.sequenceNumber),
    kind: isError ? 'error' : 'data',
    sequenceNumber: isError ? null : row.sequenceNumber,
    replay: row.replay === 1,
  }
}
