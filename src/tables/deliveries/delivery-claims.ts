import type { Truncation } from '../../core/query/output/query-result.ts'
import { type Database, type Sql, sql, sqlRows } from '../../ports/database.ts'
import { evenChunks } from '../sql/even-chunks.ts'

/**
 * Which of a webhook's deliveries are meant: new ones, those that are sent again (retries,
 * replays, resent ones), the one whose turn it is when all go strictly one after the other,
 * or errors, which go out while it is paused too.
 */
export type Lane = 'first' | 'retry' | 'ordered' | 'errors'

export type ReadyQuestion = { nowMs: number; limit: number; lane: Lane }

/** What has to be known to attempt a delivery, but for its result. */
export type ReadyDelivery = {
  id: string
  webhookId: string
  teamId: string
  network: string
  kind: 'data' | 'error'
  /** Errors have neither a sequence number nor a block nor a result. */
  sequenceNumber: number | null
  blockNumber: number | null
  part: number | null
  error: string | null
  previousSequence: number | null
  replay: boolean
  createdAtMs: number
  /** Since it was last sent anew. */
  attemptsMade: number
  /** Of its result. */
  dataBytes: number
  /** The name it was last claimed under, which has lapsed, or resent; empty without any. */
  lease: string
  /** Its place among those of its event, while it stands on a sheet; null when it has a row. */
  position: number | null
}

/** What may have changed of a delivery between reading and claiming it. */
export type ClaimedDelivery = Pick<ReadyDelivery, 'attemptsMade' | 'part' | 'replay'>

export type StoredResult = { data: string; truncation: Truncation | null }

type ReadyRow = {
  id: string
  webhook_id: string
  team_id: string
  network: string
  kind: string
  sequence_number: number | null
  block_number: number | null
  part: number | null
  error: string | null
  previous_sequence: number | null
  replay: number
  created_at_ms: number
  attempts_made: number
  data_bytes: number
  lease: string | null
}

type ClaimedRow = Pick<ReadyRow, 'id' | 'attempts_made' | 'part' | 'replay'>

/** More than are due in a moment; those beyond are found by who looks for all that waits. */
const DUE_WEBHOOKS_MAX = 10_000

/** Each statement is a commit of its own, and waits for the disk. */
const CLAIMED_AT_ONCE_MAX = 1024

const READY_COLUMNS = sql`
  id, webhook_id, team_id, network, kind, sequence_number, block_number, part, error,
  previous_sequence, replay, created_at_ms, attempts_made, data_bytes,
  lease`

/** A page of the webhooks that have anything waiting, due or not, in the order of their ids. */
export async function waitingWebhooks(
  db: Database,
  afterId: string | null,
  limit: number,
): Promise<string[]> {
  const next = (after: Sql) => sql`
    (SELECT MIN(webhook_id) FROM deliveries WHERE state = 'waiting' AND webhook_id > ${after})`
  // From one webhook to the next: one with a million waiting takes no longer than any other.
  const rows = await db.query<{ webhook_id: string }>(sql`
    SELECT webhook_id FROM (
      WITH RECURSIVE found (webhook_id, place) AS (
        SELECT ${next(sql`CAST(${afterId ?? ''} AS TEXT)`)}, 1
        UNION ALL
        SELECT ${next(sql`found.webhook_id`)}, found.place + 1 FROM found
        WHERE found.webhook_id IS NOT NULL AND found.place < ${limit})
      SELECT webhook_id FROM found WHERE webhook_id IS NOT NULL) AS waiting
    ORDER BY webhook_id`)
  return rows.map(({ webhook_id }) => webhook_id)
}

/**
 * The webhooks with something that waits for a moment after `fromMs` and up to `toMs`. Not what
 * is new: that waits for no moment.
 */
export async function webhooksDueBetween(
  db: Database,
  fromMs: number,
  toMs: number,
): Promise<string[]> {
  const rows = await db.query<{ webhook_id: string }>(sql`
    SELECT DISTINCT webhook_id FROM deliveries
    WHERE state = 'waiting' AND lane <> 'first' AND due_at_ms > ${fromMs}
      AND due_at_ms <= ${toMs}
    LIMIT ${DUE_WEBHOOKS_MAX}`)
  return rows.map(({ webhook_id }) => webhook_id)
}

/**
 * What of a webhook is due and nobody has claimed. Nothing but errors when it is not active.
 * Whoever wants to attempt one has to claim it.
 */
export async function readyDeliveries(
  db: Database,
  webhookId: string,
  { nowMs, limit, lane }: ReadyQuestion,
): Promise<ReadyDelivery[]> {
  const rows = await db.query<ReadyRow>(sql`
    SELECT ${READY_COLUMNS} FROM deliveries
    WHERE webhook_id = ${webhookId} AND state = 'waiting'
      AND lease_until_ms <= ${nowMs} AND ${inLane(lane, webhookId, nowMs)}
    LIMIT ${limit}`)
  return rows.map(readyOf)
}

/** Whether anything waits for its first attempt, even if its webhook is paused. */
export async function hasNewWaiting(db: Database, webhookId: string): Promise<boolean> {
  const rows = await db.query(sql`
    SELECT id FROM deliveries
    WHERE webhook_id = ${webhookId} AND state = 'waiting' AND lane = 'first' LIMIT 1`)
  return rows.length > 0
}

/**
 * Makes deliveries ours until then; those that are, by id, as they are now. The rest is done,
 * claimed by another, not due any more, or of a webhook that has been paused meanwhile.
 */
export async function claimDeliveries(
  db: Database,
  ids: readonly string[],
  lease: string,
  nowMs: number,
  untilMs: number,
): Promise<Map<string, ClaimedDelivery>> {
  const claimed = new Map<string, ClaimedDelivery>()
  for (const chunk of evenChunks(ids, CLAIMED_AT_ONCE_MAX)) {
    const rows = await db.query<ClaimedRow>(sql`
      UPDATE deliveries SET lease = ${lease}, lease_until_ms = ${untilMs}
      WHERE id IN ${sqlRows([chunk])} AND state = 'waiting' AND ${isDue(nowMs)}
        AND lease_until_ms <= ${nowMs} AND (kind = 'error' OR EXISTS (
          SELECT 1 FROM webhooks
          WHERE webhooks.id = deliveries.webhook_id AND webhooks.state = 'active'))
      RETURNING id, attempts_made, part, replay`)
    for (const { id, attempts_made, part, replay } of rows) {
      claimed.set(id, { attemptsMade: attempts_made, part, replay: replay === 1 })
    }
  }
  return claimed
}

/** The query's result that a delivery carries. */
export async function resultOf(
  db: Database,
  network: string,
  sequenceNumber: number,
  part: number,
): Promise<StoredResult | null> {
  const [found] = await db.query<{ data: string; truncation: string | null }>(sql`
    SELECT data, truncation FROM results
    WHERE network = ${network} AND sequence_number = ${sequenceNumber} AND part = ${part}`)
  return found
    ? { data: found.data, truncation: found.truncation && JSON.parse(found.truncation) }
    : null
}

/**
 * What is new is due at once, whatever the clock says: those of other processes may be ahead
 * of ours, and then it would be late, and a newer one could come before it.
 */
function isDue(nowMs: number): Sql {
  return sql`(lane = 'first' OR due_at_ms <= ${nowMs})`
}

/** The rest of the condition, and the order. */
function inLane(lane: Lane, webhookId: string, nowMs: number): Sql {
  // Errors have no number. It stands here because the index has it, and many others may wait.
  if (lane === 'errors') {
    return sql`lane = 'errors' AND due_at_ms <= ${nowMs}
      ORDER BY sequence_number, due_at_ms`
  }
  const active = sql`EXISTS (
    SELECT 1 FROM webhooks WHERE webhooks.id = ${webhookId} AND webhooks.state = 'active')`
  if (lane === 'first') {
    return sql`lane = 'first' AND ${active} ORDER BY sequence_number`
  }
  if (lane === 'retry') {
    return sql`lane = 'retry' AND due_at_ms <= ${nowMs} AND ${active} ORDER BY due_at_ms`
  }
  // The first of all that wait, whether it is due or not: it holds up those behind it.
  const head = (of: Sql) => sql`
    SELECT id, sequence_number FROM (
      SELECT id, sequence_number FROM deliveries
      WHERE webhook_id = ${webhookId} AND state = 'waiting' AND lane = ${of}
      ORDER BY sequence_number LIMIT 1) AS head`
  return sql`${isDue(nowMs)} AND ${active} AND id = (
    SELECT id FROM (${head(sql`'first'`)} UNION ALL ${head(sql`'retry'`)}) AS heads
    ORDER BY sequence_number LIMIT 1)`
}

function readyOf(row: ReadyRow): ReadyDelivery {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    teamId: row.team_id,
    network: row.network,
    kind: row.kind as ReadyDelivery['kind'],
    sequenceNumber: row.sequence_number,
    blockNumber: row.block_number,
    part: row.part,
    error: row.error,
    previousSequence: row.previous_sequence,
    replay: row.replay === 1,
    createdAtMs: row.created_at_ms,
    attemptsMade: row.attempts_made,
    dataBytes: row.data_bytes,
    lease: row.lease ?? '',
    position: null,
  }
}
