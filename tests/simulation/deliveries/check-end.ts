import { type Database, sql } from '../../../src/ports/database.ts'
import type { SheetRow } from '../../../src/tables/deliveries/sheets/sheet-form.ts'
import { backlogsMiscounted } from '../../support/sheet-store.ts'
import type { BookedDelivery, BookedWebhook } from './book.ts'
import {
  CHAIN,
  complain,
  type DeliveryRun,
  isAlone,
  isPrompt,
  isUnderWay,
  staleMs,
  wallOf,
} from './delivery-run.ts'
import { isOverLimit } from './judge-money.ts'
import { nameOf } from './judge-posts.ts'
import { rowsOn } from './sheet-changes.ts'

type StoredRow = { id: string; state: string; attempts_made: number; due_at_ms: number }

/** Within this an outcome is written, once it is known. */
const MOMENT_MS = 100

/** What becomes due so shortly before the end may still wait. */
const LAST_MS = 5_000

/** Whether nothing more is to be expected before `endMs`. */
export function isQuiet(run: DeliveryRun, endMs: number): boolean {
  if (run.posts.some((post) => isUnderWay(run, post))) return false
  if (run.plan.teams.some(({ id }) => hasToBePaused(run, id))) return false
  for (const webhook of run.book.webhooks.values()) {
    if (webhook.deliveries.some((one) => hasToGo(run, webhook, one, endMs))) return false
  }
  return true
}

/** What was promised of the end and did not hold. */
export function checkEnd(run: DeliveryRun, database: Database, endMs: number): void {
  for (const { id } of run.plan.teams) {
    if (hasToBePaused(run, id)) complain(run, `${id} has used up its month and is not paused`)
  }
  for (const webhook of run.book.webhooks.values()) {
    for (const one of webhook.deliveries) {
      if (hasToGo(run, webhook, one, endMs)) {
        complain(run, `${nameOf(one.row)} still waits, ${one.row.attempts_made} attempts made`)
      }
      if (webhook.row.state === 'deleted' && one.row.state === 'waiting') {
        complain(run, `${nameOf(one.row)} waits for a webhook that is gone`)
      }
    }
  }
  checkPosts(run)
  checkBook(run, run.clock.settle(storedRows(database), 0))
  const wrong = run.clock.settle(backlogsMiscounted(database), 0)
  if (Object.keys(wrong).length > 0) {
    complain(run, `what is undelivered is miscounted by ${JSON.stringify(wrong)}`)
  }
}

/** Where nothing fails but receivers, nothing is sent that does not count. */
function checkPosts(run: DeliveryRun): void {
  const { plan } = run
  if (plan.crashesMax > 0 || plan.skewSpreadMs > 0 || !isPrompt(plan)) return
  const longAgoMs = run.clock.elapsedMs() - plan.settings.timeoutMs - MOMENT_MS
  for (const { deliveryId, life, isWritten, startedMs } of run.posts) {
    const againAtMs = run.book.deliveries.get(deliveryId)?.againAtMs ?? 0
    // Without a claim nobody could tell who had it replayed that it is on its way.
    if (isAlone(plan) && againAtMs + staleMs(run) >= startedMs) continue
    if (!isWritten && startedMs < longAgoMs)
      complain(run, `${life.name} has sent ${deliveryId} for nothing`)
  }
}

/** The book is what the store says, and every delivery that was ever committed is there. */
function checkBook(run: DeliveryRun, rows: readonly StoredRow[]): void {
  const { deliveries } = run.book
  if (rows.length !== deliveries.size) {
    complain(run, `${rows.length} of ${deliveries.size} deliveries are there`)
  }
  for (const { id, state, attempts_made } of rows) {
    const booked = deliveries.get(id)?.row
    if (booked?.state === state && booked.attempts_made === attempts_made) continue
    complain(run, `${id} is ${state} and was booked as ${booked?.state}`)
  }
}

function hasToBePaused(run: DeliveryRun, teamId: string): boolean {
  if (!isOverLimit(run, teamId, wallOf(run, CHAIN))) return false
  return [...run.book.webhooks.values()].some(
    ({ row }) => row.team_id === teamId && row.state === 'active',
  )
}

function hasToGo(
  run: DeliveryRun,
  { row: webhook, deliveries }: BookedWebhook,
  { row }: BookedDelivery,
  endMs: number,
): boolean {
  if (row.state !== 'waiting' || webhook.state === 'deleted') return false
  if (row.kind === 'data' && webhook.state !== 'active') return false
  // What cannot be reached is tried now and then, and keeps its attempts.
  const host = new URL(webhook.url).hostname
  const temper = run.receivers.temperOf(host, Number.POSITIVE_INFINITY)
  if (temper === 'dead') return false
  const endWallMs = slowestWall(run) + endMs - run.clock.elapsedMs() - LAST_MS
  if (row.due_at_ms > endWallMs) return false
  if (row.kind === 'error' || !webhook.ordered) return true
  // Each is refused to its last attempt before the next may go, which may take any time.
  if (temper === 'not_found') return false
  const isHeldUp = deliveries.some(
    ({ row: other }) =>
      other.kind === 'data' &&
      other.state === 'waiting' &&
      (other.sequence_number ?? 0) < (row.sequence_number ?? 0) &&
      other.due_at_ms > endWallMs,
  )
  return !isHeldUp
}

/** The time of day as the courier has it whose clock is furthest behind. */
function slowestWall(run: DeliveryRun): number {
  return Math.min(...[CHAIN, ...run.skews.keys()].map((name) => wallOf(run, name)))
}

async function storedRows(database: Database): Promise<StoredRow[]> {
  const rows = await database.query<StoredRow>(sql`
    SELECT id, state, attempts_made, due_at_ms FROM deliveries`)
  const sheets = await database.query<SheetRow>(sql`SELECT * FROM sheets`)
  return [...rows, ...sheets.flatMap(rowsOn)]
}
