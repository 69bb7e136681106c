import type { Database } from '../../../src/ports/database.ts'
import { SHARDS } from '../../../src/tables/deliveries/shards.ts'
import {
  contradiction,
  miscount,
  type StoredDelivery,
  storedDeliveries,
} from '../../support/deliveries/stored-deliveries.ts'
import type { Life } from '../process-life.ts'
import { type BookedDelivery, type BookedWebhook, keyOf } from './book.ts'
import {
  CHAIN,
  complain,
  type DeliveryRun,
  isExact,
  isPrompt,
  isUnderWay,
  staleMs,
  wallOf,
} from './delivery-run.ts'
import { isFull, isOverLimit } from './judges/judge-pauses.ts'
import { nameOf } from './posted.ts'

/** Within this an outcome is written, once it is known. */
const MOMENT_MS = 100

/** What becomes due so shortly before the end may still wait. */
const LAST_MS = 5_000

/** Whether nothing more is to be expected before `endMs`. */
export function isQuiet(run: DeliveryRun, living: readonly Life[], endMs: number): boolean {
  if (run.posts.some((post) => isUnderWay(run, post))) return false
  if (living.some(({ wakesAtMs }) => wakesAtMs > run.clock.elapsedMs())) return false
  if (run.plan.teams.some(({ id }) => hasToBePaused(run, id))) return false
  for (const webhook of run.book.webhooks.values()) {
    if (webhook.deliveries.some((one) => hasToGo(run, webhook, one, endMs))) return false
  }
  return spreadFault(run, living) === null
}

/**
 * Every shard has an owner that lives, and none has more than its share; a lease that was renewed
 * in trouble may still lapse and come back.
 */
export function checkSpread(run: DeliveryRun, living: () => readonly Life[], endMs: number): void {
  const { clock, complaints } = run
  const isOver = () => complaints.length > 0 || spreadFault(run, living()) === null
  if (!isOver()) clock.runUntil(endMs, isOver)
  const fault = spreadFault(run, living())
  if (fault && complaints.length === 0) complain(run, fault)
}

/** What is wrong with how shards are spread over the couriers that live. */
function spreadFault(run: DeliveryRun, living: readonly Life[]): string | null {
  if (!isExact(run.plan)) return null
  const { leases, shards } = run.book.owners
  const counts = new Map(living.map(({ name }) => [name, 0]))
  for (const [shard, { courier }] of shards) {
    const life = courier === null ? null : (leases.get(courier)?.life ?? null)
    const count = life === null ? undefined : counts.get(life)
    if (life === null || count === undefined) return `shard ${shard} is ${courier}'s`
    counts.set(life, count + 1)
  }
  const most = Math.ceil(SHARDS / living.length)
  const greedy = [...counts].find(([, count]) => count > most)
  return greedy ? `${greedy[0]} has ${greedy[1]} shards, ${living.length} couriers live` : null
}

/** What was promised of the end and did not hold. */
export function checkEnd(run: DeliveryRun, database: Database, endMs: number): void {
  for (const { id } of run.plan.teams) {
    if (hasToBePaused(run, id)) complain(run, `${id} has to be paused and is not`)
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
  checkBook(run, run.clock.settle(storedDeliveries(database), 0))
  for (const wrong of [contradiction, miscount]) {
    const found = run.clock.settle(wrong(database), 0)
    if (found) complain(run, found)
  }
}

/** The book is what the store says, and every delivery that was ever committed is there. */
function checkBook(run: DeliveryRun, rows: readonly StoredDelivery[]): void {
  const { deliveries, rows: booked } = run.book
  if (rows.length !== deliveries.size) {
    complain(run, `${rows.length} of ${deliveries.size} deliveries are there`)
  }
  for (const row of rows) {
    const known = booked.get(keyOf(row))
    if (known?.state === row.state && known.attempts_made === row.attempts_made) continue
    complain(run, `${keyOf(row)} is in state ${row.state} and was booked in ${known?.state}`)
  }
}

/** Where nothing fails but receivers, nothing is sent that does not count. */
function checkPosts(run: DeliveryRun): void {
  const { plan } = run
  const isCalm = plan.crashesMax === 0 && plan.skewSpreadMs === 0 && isPrompt(plan)
  if (!isCalm || plan.couriers.some(({ sleeps }) => sleeps.length > 0)) return
  const longAgoMs = run.overMs - plan.settings.timeoutMs - MOMENT_MS
  for (const { deliveryId, life, isWritten, startedMs } of run.posts) {
    const againAtMs = run.book.deliveries.get(deliveryId)?.againAtMs ?? 0
    // Whoever had it sent anew did not know that it was on its way.
    if (againAtMs + staleMs(run, life) >= startedMs) continue
    if (!isWritten && startedMs < longAgoMs)
      complain(run, `${life.name} has sent ${deliveryId} for nothing`)
  }
}

function hasToBePaused(run: DeliveryRun, teamId: string): boolean {
  const isOver = isOverLimit(run, teamId, wallOf(run, CHAIN)) || isFull(run, teamId)
  if (!isOver) return false
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
      other.event < row.event &&
      other.due_at_ms > endWallMs,
  )
  return !isHeldUp
}

/** The time of day as the courier has it whose clock is furthest behind. */
function slowestWall(run: DeliveryRun): number {
  return Math.min(...[CHAIN, ...run.couriers.keys()].map((name) => wallOf(run, name)))
}
