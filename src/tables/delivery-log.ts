import { type Database, type Sql, sql } from '../ports/database.ts'
import { holdWebhook } from './courier-webhooks.ts'
import { resultOf, type StoredResult } from './delivery-claims.ts'
import type { AttemptFacts } from './delivery-outcomes.ts'

export type DeliveryState = 'waiting' | 'delivered' | 'failed' | 'cancelled'

/** A delivery as it stands in the log. */
export type LoggedDelivery = {
  id: string
  webhookId: string
  network: string
  kind: 'data' | 'error'
  /** Errors have neither a sequence number nor a block. */
  sequenceNumber: number | null
  blockNumber: number | null
  blockHash: string | null
  error: string | null
  replay: boolean
  state: DeliveryState
  createdAtMs: number
  /** Of the next attempt, while it waits. */
  dueAtMs: number
  /** When it was delivered, given up or cancelled; null while it waits. */
  doneAtMs: number | null
  /** Since it was last sent anew. */
  attemptsMade: number
  /** Of the body; null before the first attempt. */
  bodyBytes: number | null
}

export type DeliveryWithAttempts = LoggedDelivery & {
  result: StoredResult | null
  /** Oldest first. */
  attempts: AttemptFacts[]
}

/** Where a page ends: the last one that is on it. */
export type LogCursor = { createdAtMs: number; id: string }

export type LogQuestion = {
  webhookId?: string | undefined
  status?: DeliveryState | undefined
  block?: number | undefined
  after?: LogCursor | undefined
  limit: number
}

type LogRow = {
  id: string
  webhook_id: string
  network: string
  kind: string
  sequence_number: number | null
  block_number: number | null
  block_hash: string | null
  error: string | null
  replay: number
  state: string
  created_at_ms: number
  due_at_ms: number
  done_at_ms: number | null
  attempts_made: number
  body_bytes: number | null
}

/** Of one height there are as many as a team has webhooks, times its reorganisations. */
const ONE_HEIGHT_MAX = 10_000

const COLUMNS = sql`
  id, webhook_id, network, kind, sequence_number, block_number, block_hash, error, replay,
  state, created_at_ms, due_at_ms, done_at_ms, attempts_made, body_bytes`

/**
 * In the words of the indexes: each state has its own, so that none is searched for another.
 * Of those that wait, what is new is not among them: see `newOnes`.
 */
const IN_STATE: Readonly<Record<DeliveryState, Sql>> = {
  waiting: sql`state = 'waiting' AND lane <> 'first'`,
  delivered: sql`state = 'delivered'`,
  failed: sql`state = 'failed' AND state IN ('failed', 'cancelled')`,
  cancelled: sql`state = 'cancelled' AND state IN ('failed', 'cancelled')`,
}

/** Of a webhook's new deliveries, so many are looked at whatever page is wanted. */
const NEW_FEW = 100

const STATES = ['waiting', 'delivered', 'failed', 'cancelled'] as const

/** A page of a team's deliveries, newest first. */
export async function listDeliveryPage(
  db: Database,
  teamId: string,
  question: LogQuestion,
): Promise<LoggedDelivery[]> {
  const { status, block, limit } = question
  const states = status ? [status] : STATES
  const found =
    block === undefined ? ofStates(teamId, question, states) : ofBlock(teamId, block, question)
  const rows = await db.query<LogRow>(sql`
    SELECT ${COLUMNS} FROM (${found}) AS found
    ORDER BY created_at_ms DESC, id DESC LIMIT ${limit}`)
  const mayBeNew = block === undefined && states.includes('waiting')
  if (mayBeNew) rows.push(...(await newOnes(db, teamId, question)))
  return rows.sort(newestFirst).slice(0, limit).map(loggedOf)
}

/**
 * What waits for its first attempt. An index of its own would cost every delivery two writes;
 * so it is read webhook by webhook. Few are sorted by time; where many wait, they come in the
 * order of their numbers, which is the same unless the clock was set back meanwhile.
 */
async function newOnes(db: Database, teamId: string, question: LogQuestion): Promise<LogRow[]> {
  const { webhookId, after, limit } = question
  const one = webhookId === undefined ? sql`` : sql`AND webhooks.id = ${webhookId}`
  const webhooks = await db.query<{ id: string; network: string }>(sql`
    SELECT id, network FROM webhooks WHERE team_id = ${teamId} ${one} AND EXISTS (
      SELECT 1 FROM deliveries WHERE deliveries.webhook_id = webhooks.id
        AND deliveries.state = 'waiting' AND deliveries.lane = 'first')`)
  const [last] = after
    ? await db.query<{ network: string; sequence_number: number | null }>(sql`
        SELECT network, sequence_number FROM deliveries WHERE id = ${after.id}`)
    : []
  const pages = webhooks.map(async ({ id, network }) => {
    const newest = (only: Sql, count: number) =>
      db.query<LogRow>(sql`
        SELECT ${COLUMNS} FROM deliveries
        WHERE webhook_id = ${id} AND state = 'waiting' AND lane = 'first' ${only}
        ORDER BY sequence_number DESC LIMIT ${count}`)
    const few = await newest(sql``, NEW_FEW)
    if (few.length < NEW_FEW) return few.filter((row) => isBeyond(row, after))
    // Numbers count the events of a network, so a page that is far down is found at once.
    const isKnown = last?.network === network && last.sequence_number !== null
    const below = isKnown ? sql`AND sequence_number <= ${last.sequence_number}` : sql``
    return newest(sql`${below} ${beyond(question)}`, limit)
  })
  return (await Promise.all(pages)).flat()
}

function isBeyond(row: LogRow, after: LogCursor | undefined): boolean {
  if (!after) return true
  const { createdAtMs, id } = after
  return row.created_at_ms < createdAtMs || (row.created_at_ms === createdAtMs && row.id < id)
}

function newestFirst(a: LogRow, b: LogRow): number {
  if (a.created_at_ms !== b.created_at_ms) return b.created_at_ms - a.created_at_ms
  return a.id < b.id ? 1 : -1
}

/** Null when the team has no such delivery. */
export async function findDeliveryWithAttempts(
  db: Database,
  teamId: string,
  id: string,
): Promise<DeliveryWithAttempts | null> {
  const [row] = await db.query<LogRow & { part: number | null; attempts: string }>(sql`
    SELECT ${COLUMNS}, part, attempts FROM deliveries
    WHERE id = ${id} AND team_id = ${teamId}`)
  if (!row) return null

  const { network, sequence_number, part } = row
  const hasResult = sequence_number !== null && part !== null
  const result = hasResult ? await resultOf(db, network, sequence_number, part) : null
  const lines = row.attempts.split('\n').filter((line) => line !== '')
  return { ...loggedOf(row), result, attempts: lines.map((line) => JSON.parse(line)) }
}

/**
 * Makes a delivery that is done due at once, its attempts starting anew. 'waiting' when it is
 * due anyway, 'gone' when its webhook was deleted: then nothing happens.
 */
export function resendDelivery(
  db: Database,
  teamId: string,
  id: string,
  nowMs: number,
): Promise<'resent' | 'waiting' | 'gone' | 'not_found'> {
  return db.transaction(async (tx) => {
    const [found] = await tx.query<{ webhook_id: string }>(sql`
      SELECT webhook_id FROM deliveries WHERE id = ${id} AND team_id = ${teamId}`)
    if (!found) return 'not_found'
    if ((await holdWebhook(tx, found.webhook_id)) === null) return 'gone'

    // A name of its own, so that an outcome from before, which may be written twice when its
    // commit was not heard of, is not taken for one of this.
    const resent = await tx.query(sql`
      UPDATE deliveries SET state = 'waiting', due_at_ms = ${nowMs}, done_at_ms = NULL,
        lane = CASE WHEN kind = 'error' THEN 'errors' ELSE 'retry' END,
        attempts_made = 0, lease = 'resent ' || attempts_bytes, lease_until_ms = 0
      WHERE id = ${id} AND state <> 'waiting' RETURNING id`)
    return resent.length === 1 ? 'resent' : 'waiting'
  })
}

/** The newest of each state, each found by its own index. */
function ofStates(teamId: string, question: LogQuestion, states: readonly DeliveryState[]): Sql {
  const { webhookId, limit } = question
  const whose = webhookId === undefined ? sql`team_id = ${teamId}` : ofWebhook(teamId, webhookId)
  let all: Sql | null = null
  for (const state of states) {
    const some = sql`SELECT ${COLUMNS} FROM (
      SELECT ${COLUMNS} FROM deliveries
      WHERE ${whose} AND ${IN_STATE[state]} ${beyond(question)}
      ORDER BY created_at_ms DESC, id DESC LIMIT ${limit}) AS newest`
    all = all === null ? some : sql`${all} UNION ALL ${some}`
  }
  return all ?? sql``
}

/** Few at one height, so that these are read first and sorted out afterwards. */
function ofBlock(teamId: string, block: number, question: LogQuestion): Sql {
  const { webhookId, status } = question
  const whose =
    webhookId === undefined
      ? sql`webhook_id IN (SELECT webhooks.id FROM webhooks WHERE webhooks.team_id = ${teamId})`
      : ofWebhook(teamId, webhookId)
  const inState = status ? sql`AND state = ${status}` : sql``
  return sql`SELECT ${COLUMNS} FROM (
    SELECT ${COLUMNS} FROM deliveries WHERE block_number = ${block} AND ${whose}
    LIMIT ${ONE_HEIGHT_MAX}) AS height
    WHERE kind = 'data' ${inState} ${beyond(question)}`
}

/** Does not name the team of the delivery: the index by teams would look as good. */
function ofWebhook(teamId: string, webhookId: string): Sql {
  return sql`webhook_id = ${webhookId} AND EXISTS (
    SELECT 1 FROM webhooks WHERE webhooks.id = ${webhookId} AND webhooks.team_id = ${teamId})`
}

function beyond({ after }: LogQuestion): Sql {
  if (!after) return sql``
  const { createdAtMs, id } = after
  return sql`AND created_at_ms <= ${createdAtMs}
    AND (created_at_ms < ${createdAtMs} OR id < ${id})`
}

function loggedOf(row: LogRow): LoggedDelivery {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    network: row.network,
    kind: row.kind as LoggedDelivery['kind'],
    sequenceNumber: row.sequence_number,
    blockNumber: row.block_number,
    blockHash: row.block_hash,
    error: row.error,
    replay: row.replay === 1,
    state: row.state as DeliveryState,
    createdAtMs: row.created_at_ms,
    dueAtMs: row.due_at_ms,
    doneAtMs: row.done_at_ms,
    attemptsMade: row.attempts_made,
    bodyBytes: row.body_bytes,
  }
}
