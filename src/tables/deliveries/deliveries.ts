import type { Truncation } from '../../core/query/output/query-result.ts'
import { type Database, type Sql, sql, sqlRows } from '../../ports/database.ts'
import { rowChunks } from '../sql/statement-chunks.ts'
import { growBacklog } from '../usage/team-backlogs.ts'
import { logBytesOf } from './log-sizes.ts'
import type { NewDelivery } from './new-delivery.ts'
import { findOnSheets } from './sheets/find-on-sheets.ts'
import type { SheetDelivery } from './sheets/sheet-log.ts'
import { newestOnSheets } from './sheets/sheet-walk.ts'
import { moveOpen } from './sheets/sheets.ts'

export type { NewDelivery }

/** The result of one query on the block of one event. */
export type EventResult = { data: string; bytes: number; truncation: Truncation | null }

export type Delivery = {
  id: string
  webhookId: string
  teamId: string
  network: string
  /** Errors have neither a sequence number nor a block nor a result. */
  kind: 'data' | 'error'
  sequenceNumber: number | null
  blockNumber: number | null
  blockHash: string | null
  result: EventResult | null
  error: string | null
  /** The number of the delivery before this one to the same webhook. */
  previousSequence: number | null
  state: 'waiting' | 'delivered' | 'failed' | 'cancelled'
  createdAtMs: number
  dueAtMs: number
  attemptsMade: number
}

type DeliveryRow = {
  id: string
  webhook_id: string
  team_id: string
  network: string
  kind: string
  sequence_number: number | null
  block_number: number | null
  block_hash: string | null
  error: string | null
  previous_sequence: number | null
  state: string
  created_at_ms: number
  due_at_ms: number
  attempts_made: number
} & ResultRow

type ResultRow = { data: string | null; bytes: number | null; truncation: string | null }

const DELIVERIES_WITH_RESULTS = sql`
  SELECT deliveries.id, deliveries.webhook_id, deliveries.team_id, deliveries.network,
    deliveries.kind, deliveries.sequence_number, deliveries.block_number,
    deliveries.block_hash, deliveries.error, deliveries.previous_sequence, deliveries.state,
    deliveries.created_at_ms, deliveries.due_at_ms, deliveries.attempts_made, results.data,
    results.bytes, results.truncation
  FROM deliveries LEFT JOIN results ON results.network = deliveries.network
    AND results.sequence_number = deliveries.sequence_number AND results.part = deliveries.part`

const INSERT_RESULT = sql`
  INSERT INTO results (network, sequence_number, part, data, bytes, truncation)
  VALUES ${sqlRows([[null, null, null, null, null, null]])}`

const INSERT_DELIVERY = sql`
  INSERT INTO deliveries
    (kind, state, attempts_made, lease_until_ms, replay, id, webhook_id, team_id, network,
    sequence_number, block_number, block_hash, part, data_bytes, previous_sequence,
    created_at_ms, due_at_ms)
  VALUES ('data', 'waiting', 0, 0, 0, ${null}, ${null}, ${null}, ${null}, ${null}, ${null},
    ${null}, ${null}, ${null}, ${null}, ${null}, ${null})`

/** Stores the results of an event; each one's place in the list is its `part`. */
export async function insertResults(
  tx: Database,
  network: string,
  sequenceNumber: number,
  results: readonly EventResult[],
): Promise<void> {
  const rows = results.map(({ data, bytes, truncation }, part) => [
    network,
    sequenceNumber,
    part,
    data,
    bytes,
    truncation && JSON.stringify(truncation),
  ])
  for (const chunk of rowChunks(rows)) await tx.each(INSERT_RESULT, chunk)
}

/** They are due at once. */
export async function insertDeliveries(
  tx: Database,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  const rows = deliveries.map((one) => [
    one.id,
    one.webhookId,
    one.teamId,
    one.network,
    one.sequenceNumber,
    one.blockNumber,
    one.blockHash,
    one.part,
    one.dataBytes,
    one.previousSequence,
    one.createdAtMs,
    one.createdAtMs,
  ])
  for (const chunk of rowChunks(rows)) await tx.each(INSERT_DELIVERY, chunk)
}

/** What waits for a webhook or has failed is not sent any more, not even when asked for. */
export async function cancelDeliveries(tx: Database, webhookId: string): Promise<void> {
  await moveOpen(tx, { webhookId })
  await cancelThose(tx, sql`webhook_id = ${webhookId} AND state = 'waiting'`)
  // Said twice, so that the index of both is found.
  const hasFailed = sql`state = 'failed' AND state IN ('failed', 'cancelled')`
  await cancelThose(tx, sql`webhook_id = ${webhookId} AND ${hasFailed}`)
}

async function cancelThose(tx: Database, which: Sql): Promise<void> {
  const sums = await tx.query<{ team_id: string; count: number; bytes: number }>(sql`
    SELECT team_id, CAST(COUNT(*) AS BIGINT) AS count, CAST(SUM(data_bytes) AS BIGINT) AS bytes
    FROM deliveries WHERE ${which} AND kind = 'data' GROUP BY team_id`)
  for (const { team_id, count, bytes } of sums) {
    await growBacklog(tx, team_id, -logBytesOf([{ bytes }], count))
  }
  await tx.query(sql`
    UPDATE deliveries SET state = 'cancelled', done_at_ms = COALESCE(done_at_ms, due_at_ms)
    WHERE ${which}`)
}

export async function findDelivery(
  db: Database,
  teamId: string,
  id: string,
): Promise<Delivery | null> {
  const find = () =>
    db.query<DeliveryRow>(sql`
      ${DELIVERIES_WITH_RESULTS} WHERE deliveries.id = ${id} AND deliveries.team_id = ${teamId}`)
  const [row] = await find()
  if (row) return deliveryOf(row)

  const onSheet = await findOnSheets(db, teamId, id)
  if (onSheet === null) return null
  if (onSheet !== 'moved') return deliveryOnSheet(db, onSheet)
  const [moved] = await find()
  return moved ? deliveryOf(moved) : null
}

/** Newest first, with their results: mind the size of those when choosing the limit. */
export async function listDeliveries(
  db: Database,
  webhookId: string,
  limit: number,
): Promise<Delivery[]> {
  const onSheets = await newestOnSheets(db, {
    owner: { webhookId },
    upToMs: Number.MAX_SAFE_INTEGER,
    limit,
    knownMs: [],
    isMeant: () => true,
  })
  // The engines disagree on where NULL belongs, hence the 0 for errors.
  const rows = await db.query<DeliveryRow>(sql`
    ${DELIVERIES_WITH_RESULTS} WHERE deliveries.webhook_id = ${webhookId}
    ORDER BY deliveries.created_at_ms DESC, COALESCE(deliveries.sequence_number, 0) DESC,
      deliveries.id
    LIMIT ${limit}`)
  const found = new Map<string, Delivery>()
  for (const one of onSheets ?? []) found.set(one.id, await deliveryOnSheet(db, one))
  for (const row of rows) found.set(row.id, deliveryOf(row))
  return [...found.values()].sort(newestFirst).slice(0, limit)
}

function newestFirst(a: Delivery, b: Delivery): number {
  if (a.createdAtMs !== b.createdAtMs) return b.createdAtMs - a.createdAtMs
  const byNumber = (b.sequenceNumber ?? 0) - (a.sequenceNumber ?? 0)
  return byNumber !== 0 ? byNumber : a.id < b.id ? -1 : 1
}

async function deliveryOnSheet(db: Database, one: SheetDelivery): Promise<Delivery> {
  const { part, arrival, dataBytes: _, ...rest } = one
  const [row] = await db.query<ResultRow>(sql`
    SELECT data, bytes, truncation FROM results
    WHERE network = ${one.network} AND sequence_number = ${one.sequenceNumber}
      AND part = ${part}`)
  return {
    ...rest,
    kind: 'data',
    result: row ? resultOf(row) : null,
    error: null,
    state: arrival ? 'delivered' : 'waiting',
    dueAtMs: one.createdAtMs,
    attemptsMade: arrival ? 1 : 0,
  }
}

function deliveryOf(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    teamId: row.team_id,
    network: row.network,
    kind: row.kind as Delivery['kind'],
    sequenceNumber: row.sequence_number,
    blockNumber: row.block_number,
    blockHash: row.block_hash,
    result: resultOf(row),
    error: row.error,
    previousSequence: row.previous_sequence,
    state: row.state as Delivery['state'],
    createdAtMs: row.created_at_ms,
    dueAtMs: row.due_at_ms,
    attemptsMade: row.attempts_made,
  }
}

function resultOf({ data, bytes, truncation }: ResultRow): EventResult | null {
  if (data === null || bytes === null) return null
  return { data, bytes, truncation: truncation && JSON.parse(truncation) }
}
