import type { Life } from '../../process-life.ts'
import {
  type Book,
  type BookedRow,
  disagreement,
  enter,
  enterStanding,
  keyOf,
  type Move,
  resultKey,
  standingOf,
} from '../book.ts'
import { CHAIN, complain, type DeliveryRun, OFFICE, type Post, wallOf } from '../delivery-run.ts'
import type { Change, ChangeOf, WebhookRow } from '../journal-changes.ts'
import { enterOwner } from '../owners.ts'
import { nameOf } from '../posted.ts'
import { judgeBill } from './judge-money.ts'
import { judgeOutcome } from './judge-outcomes.ts'
import { judgeOwner } from './judge-owners.ts'
import { isSentAnew, judgePauses } from './judge-pauses.ts'

/** Judges all that one transaction has changed, and writes it into the book. */
export function judgeCommit(run: DeliveryRun, life: Life, changes: readonly Change[]): void {
  const { book, clock } = run
  const keys = new Set<string>()
  for (const change of changes) {
    if (change.table === 'couriers' || change.table === 'shards') {
      judgeOwner(run, life, change)
      const wallMs = wallOf(run, life.name)
      enterOwner(book.owners, change, { life: life.name, wallMs, elapsedMs: clock.elapsedMs() })
    }
    if (change.table === 'webhooks') judgeWebhook(run, life, change)
    if (change.table === 'listing') for (const key of keysListed(book, change)) keys.add(key)
    if (isOfDelivery(change)) keys.add(keyOf(change.now ?? change.old ?? { event: 0, webhook: 0 }))
    enter(book, change, clock.elapsedMs(), life.name)
  }
  const moves = [...keys].flatMap((key) => movesOf(run, life, key))
  const accepted: Post[] = []
  for (const move of moves) {
    const post = judgeMove(run, life, move)
    if (post) accepted.push(post)
    enterStanding(book, move.now, clock.elapsedMs(), life.name)
  }
  judgeBill(run, life, changes, accepted)
  judgePauses(run, life, changes, moves)
  if (run.recording.has(life.name)) judgeResults(run, life, moves)
  if (life.name === CHAIN) judgeEvent(run, moves)
}

/** The deliveries that were to be listed with this change. */
function keysListed({ rows, lastListed }: Book, { now }: ChangeOf<'listing'>): string[] {
  const listed = [...rows].filter(
    ([, { event }]) => event > lastListed && event <= (now?.event ?? 0),
  )
  return listed.map(([key]) => key)
}

function isOfDelivery(
  change: Change,
): change is ChangeOf<'deliveries'> | ChangeOf<'outbox'> | ChangeOf<'done_deliveries'> {
  const { table } = change
  return table === 'deliveries' || table === 'outbox' || table === 'done_deliveries'
}

/** None when nothing of the delivery is different after all. */
function movesOf(run: DeliveryRun, life: Life, key: string): Move[] {
  const { book } = run
  const fault = disagreement(book, key)
  if (fault) complain(run, `${life.name} leaves ${key}: ${fault}`)
  const now = standingOf(book, key)
  if (!now) {
    if (!fault) complain(run, `${life.name} removes ${key}`)
    return []
  }
  const old = book.deliveries.get(now.id)?.row ?? null
  if (old && keyOf(old) !== key) {
    complain(run, `${life.name} makes ${now.id} a second time`)
    return []
  }
  return old && isSame(old, now) ? [] : [{ old, now }]
}

function isSame(old: BookedRow, now: BookedRow): boolean {
  return (
    old.state === now.state &&
    old.version === now.version &&
    old.attempts_made === now.attempts_made &&
    old.lane === now.lane &&
    old.due_at_ms === now.due_at_ms &&
    old.part === now.part &&
    old.replay === now.replay &&
    old.body_bytes === now.body_bytes
  )
}

/** The POST that was accepted, if the delivery has arrived with it. */
function judgeMove(run: DeliveryRun, life: Life, { old, now }: Move): Post | null {
  if (!old) {
    const isNew = now.state === 'waiting' && now.attempts_made === 0
    if (!isNew || now.version !== (now.replay ? 1 : 0)) {
      complain(run, `${life.name} makes ${nameOf(now)} ${now.state} in lane ${now.lane}`)
    }
    return null
  }
  const isOutcome = now.version === old.version && now.attempts_made !== old.attempts_made
  if (isOutcome) return judgeOutcome(run, life, old, now)

  if (now.version === old.version && now.state === 'cancelled') {
    judgeCancel(run, old)
    return null
  }
  // Somebody wants it sent again, or its webhook is paused once more.
  const booked = run.book.deliveries.get(old.id)
  if (booked) booked.againAtMs = run.clock.elapsedMs()
  const mayBe = life.name === OFFICE || (old.state === 'waiting' && isOfPause(run, life, now))
  if (!mayBe || !isSentAnew(old, now)) {
    complain(run, `${life.name} makes ${nameOf(old)} ${now.state}, version ${now.version}`)
  }
  return null
}

/** An error of a webhook that is paused by the same commit. */
function isOfPause({ book, clock }: DeliveryRun, life: Life, now: BookedRow): boolean {
  const paused = book.webhooks.get(now.webhook_id)?.versions.at(-1)
  if (now.kind !== 'error' || paused?.row.state !== 'paused') return false
  return paused.by === life.name && paused.fromMs === clock.elapsedMs()
}

function judgeCancel(run: DeliveryRun, old: BookedRow): void {
  const webhook = run.book.webhooks.get(old.webhook_id)
  const isUndelivered = old.state === 'waiting' || old.state === 'failed'
  if (webhook?.row.state === 'deleted' && isUndelivered) return
  complain(run, `${nameOf(old)} is cancelled for no reason`)
}

/** Couriers pause, for three reasons, and never unpause. */
function judgeWebhook(run: DeliveryRun, life: Life, { old, now }: ChangeOf<'webhooks'>): void {
  if (!old || !now) return
  const { trace } = run
  if (old.state !== now.state) trace.note(life.name, 'makes', now.id, now.state, now.reason)
  if (!run.couriers.has(life.name) || old.state === now.state) return
  if (old.state !== 'active' || now.state !== 'paused') {
    complain(run, `${life.name} makes ${now.id} ${now.state}, which was ${old.state}`)
  }
  if (now.reason === 'MONTHLY_CAPACITY_EXCEEDED' || now.reason === 'BACKLOG_FULL') return
  if (now.reason !== 'DESTINATION_GONE') complain(run, `${life.name} says ${now.reason}`)
  if (!wasToldGone(run, life, now)) complain(run, `nobody said that ${now.id} is gone`)
}

function wasToldGone({ posts }: DeliveryRun, life: Life, { id, url }: WebhookRow): boolean {
  return posts.some(
    (post) =>
      post.life === life && post.webhookId === id && post.url === url && post.seen?.status === 410,
  )
}

/** What is recorded for a delivery is what was given for its webhook. */
function judgeResults(run: DeliveryRun, life: Life, moves: readonly Move[]): void {
  const results = run.recording.get(life.name) ?? []
  for (const { old, now } of moves) {
    if (now.kind === 'error' || (old && old.part === now.part)) continue
    const given = results.find(({ webhookIds }) => webhookIds.includes(now.webhook_id))
    const stored = run.book.results.get(resultKey(now))
    const truncation = given?.truncation ? JSON.stringify(given.truncation) : null
    if (given && stored?.data === given.data && stored?.truncation === truncation) continue
    complain(run, `${nameOf(now)} is recorded with ${stored?.data} instead of ${given?.data}`)
  }
}

/** An event is due to exactly those that are active. */
function judgeEvent(run: DeliveryRun, moves: readonly Move[]): void {
  const due = (run.recording.get(CHAIN) ?? []).flatMap(({ webhookIds }) => webhookIds)
  const active = due.filter((id) => run.book.webhooks.get(id)?.row.state === 'active')
  const recorded = moves.map(({ now }) => now.webhook_id)
  if (active.sort().join() !== recorded.sort().join()) {
    complain(run, `an event is due to ${active} and recorded for ${recorded}`)
  }
}
