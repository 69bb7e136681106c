import { type Database, sql } from '../../ports/database.ts'
import { growBacklog, undeliveredBytes } from '../usage/team-backlogs.ts'
import { holdWebhook } from '../webhooks/courier-webhooks.ts'
import type { AttemptFacts } from './attempt-facts.ts'
import { resultOf, type StoredResult } from './delivery-claims.ts'
import {
  type DeliveryState,
  isBeyond,
  LOG_COLUMNS,
  type LogCursor,
  type LogQuestion,
  type LogRow,
  newestRows,
} from './logged-rows.ts'
import { findOnSheets } from './sheets/find-on-sheets.ts'
import { deliveriesAtHeight, openDeliveries, type SheetDelivery } from './sheets/sheet-log.ts'
import { newestOnSheets } from './sheets/sheet-walk.ts'
import { moveOne } from './sheets/sheets.ts'

export type { DeliveryState, LogCursor, LogQuestion }

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

type FoundRow = LogRow & { part: number | null; attempts: string }

/** A page of a team's deliveries, newest first. */
export async function listDeliveryPage(
  db: Database,
  teamId: string,
  question: LogQuestion,
): Promise<LoggedDelivery[]> {
  const rows = await newestRows(db, teamId, question)
  const onSheets = await newestSheetRows(db, teamId, question, rows)
  // What was moved from a sheet before it was read is among the rows now.
  const again = onSheets ? await newestRows(db, teamId, question) : []
  const found = new Map([...rows, ...(onSheets ?? []), ...again].map((row) => [row.id, row]))
  return [...found.values()].sort(newestFirst).slice(0, question.limit).map(loggedOf)
}

/** Null when there are none, whatever had happened meanwhile. */
async function newestSheetRows(
  db: Database,
  teamId: string,
  question: LogQuestion,
  rows: readonly LogRow[],
): Promise<LogRow[] | null> {
  const { webhookId, status, block, after, limit } = question
  // Only what waits for its first attempt or has arrived at it is on sheets.
  if (status === 'failed' || status === 'cancelled') return null

  const owner = { teamId, webhookId }
  const upToMs = after?.createdAtMs ?? Number.MAX_SAFE_INTEGER
  const isMeant = (one: SheetDelivery) =>
    (status === undefined || (status === 'waiting') === (one.arrival === null)) &&
    isBeyond({ created_at_ms: one.createdAtMs, id: one.id }, after)
  const newest = () => {
    if (block !== undefined) return deliveriesAtHeight(db, owner, block)
    if (status === 'waiting') {
      return openDeliveries(db, owner, upToMs, (found, nextAtMs) => {
        const last = found.filter(isMeant)[limit - 1]
        return last !== undefined && last.createdAtMs > nextAtMs
      })
    }
    const knownMs = rows.map(({ created_at_ms }) => created_at_ms)
    return newestOnSheets(db, { owner, upToMs, limit, knownMs, isMeant })
  }
  const found = await newest()
  return found?.filter(isMeant).map(rowOf) ?? null
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
  const row = await findRow(db, teamId, id)
  if (!row) return null

  const { network, sequence_number, part } = row
  const hasResult = sequence_number !== null && part !== null
  const result = hasResult ? await resultOf(db, network, sequence_number, part) : null
  const lines = row.attempts.split('\n').filter((line) => line !== '')
  return { ...loggedOf(row), result, attempts: lines.map((line) => JSON.parse(line)) }
}

async function findRow(db: Database, teamId: string, id: string): Promise<FoundRow | null> {
  const find = () =>
    db.query<FoundRow>(sql`
      SELECT ${LOG_COLUMNS}, part, attempts FROM deliveries
      WHERE id = ${id} AND team_id = ${teamId}`)
  const [row] = await find()
  if (row) return row

  const onSheet = await findOnSheets(db, teamId, id)
  if (onSheet === null) return null
  // It may have been moved between the two looks.
  if (onSheet === 'moved') return (await find())[0] ?? null
  const attempts = onSheet.arrival ? JSON.stringify(onSheet.arrival.attempt) : ''
  return { ...rowOf(onSheet), part: onSheet.part, attempts }
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
    const row = await findRow(tx, teamId, id)
    if (!row) return 'not_found'
    const { webhook_id: webhookId, network, sequence_number: sequenceNumber } = row
    if ((await holdWebhook(tx, webhookId)) === null) return 'gone'
    const mayStandOnSheet = sequenceNumber !== null && row.state === 'delivered'
    if (mayStandOnSheet) await moveOne(tx, webhookId, { network, sequenceNumber })

    // A name of its own, so that an outcome from before, which may be written twice when its
    // commit was not heard of, is not taken for one of this.
    const resent = await tx.query<{ kind: string; data_bytes: number }>(sql`
      UPDATE deliveries SET state = 'waiting', due_at_ms = ${nowMs}, done_at_ms = NULL,
        lane = CASE WHEN kind = 'error' THEN 'errors' ELSE 'retry' END,
        attempts_made = 0, lease = 'resent ' || attempts_bytes, lease_until_ms = 0
      WHERE id = ${id} AND state <> 'waiting' RETURNING kind, data_bytes`)
    const [sent] = resent
    if (!sent) return 'waiting'
    // One that failed was counted all the time.
    const isNew = sent.kind === 'data' && row.state !== 'failed'
    if (isNew) await growBacklog(tx, teamId, undeliveredBytes(sent.data_bytes))
    return 'resent'
  })
}

function rowOf(one: SheetDelivery): LogRow {
  const { arrival } = one
  return {
    id: one.id,
    webhook_id: one.webhookId,
    network: one.network,
    kind: 'data',
    sequence_number: one.sequenceNumber,
    block_number: one.blockNumber,
    block_hash: one.blockHash,
    error: null,
    replay: 0,
    state: arrival ? 'delivered' : 'waiting',
    created_at_ms: one.createdAtMs,
    due_at_ms: one.createdAtMs,
    done_at_ms: arrival?.doneAtMs ?? null,
    attempts_made: arrival ? 1 : 0,
    body_bytes: arrival?.bodyBytes ?? null,
  }
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
