import type { Life } from '../process-life.ts'
import { enter, resultKey } from './book.ts'
import { CHAIN, complain, type DeliveryRun, OFFICE, type Post } from './delivery-run.ts'
import type { Change, ChangeOf, DeliveryRow, WebhookRow } from './journal-changes.ts'
import { judgeBill, judgePauses } from './judge-money.ts'
import { judgeClaim, judgeOutcome } from './judge-outcomes.ts'
import { nameOf } from './judge-posts.ts'

/** Judges all that one transaction has changed, and writes it into the book. */
export function judgeCommit(run: DeliveryRun, life: Life, changes: readonly Change[]): void {
  const accepted: Post[] = []
  for (const change of changes) {
    if (change.table === 'deliveries') judgeDelivery(run, life, change, accepted)
    if (change.table === 'webhooks') judgeWebhook(run, life, change)
    enter(run.book, change, run.clock.elapsedMs(), life.name)
  }
  judgeBill(run, life, changes, accepted)
  judgePauses(run, life, changes)
  if (run.recording.has(life.name)) judgeResults(run, life, changes)
  if (life.name === CHAIN) judgeEvent(run, changes)
}

function judgeDelivery(
  run: DeliveryRun,
  life: Life,
  { old, now }: ChangeOf<'deliveries'>,
  accepted: Post[],
): void {
  if (!now) return void complain(run, `${life.name} removes ${old && nameOf(old)}`)
  if (!old || isSame(old, now)) return
  const booked = run.book.deliveries.get(old.id)
  if (!booked) return void complain(run, `${nameOf(old)} was not booked`)
  if (run.skews.has(life.name)) {
    if (now.lease !== null) return void judgeClaim(run, life, booked, now)
    const post = judgeOutcome(run, life, old, now)
    if (post) accepted.push(post)
    return
  }
  if (now.state === 'cancelled') return void judgeCancel(run, old)
  // Its webhook was to be active and is paused again: then it is told at once.
  const isHurried = now.kind === 'error' && old.state === 'waiting' && old.due_at_ms > now.due_at_ms
  if (isHurried && life.name === OFFICE && now.attempts_made === old.attempts_made) return
  // Somebody wants it sent again.
  booked.againAtMs = run.clock.elapsedMs()
  if (now.state !== 'waiting' || now.attempts_made !== 0 || life.name !== OFFICE) {
    complain(run, `${life.name} makes ${nameOf(old)} ${now.state}`)
  }
}

function isSame(old: DeliveryRow, now: DeliveryRow): boolean {
  return (
    old.state === now.state &&
    old.lease === now.lease &&
    old.attempts_made === now.attempts_made &&
    old.due_at_ms === now.due_at_ms &&
    old.part === now.part
  )
}

function judgeCancel(run: DeliveryRun, old: DeliveryRow): void {
  const webhook = run.book.webhooks.get(old.webhook_id)
  const isUndelivered = old.state === 'waiting' || old.state === 'failed'
  if (webhook?.row.state === 'deleted' && isUndelivered) return
  complain(run, `${nameOf(old)} is cancelled for no reason`)
}

/** Couriers pause, for two reasons, and never unpause. */
function judgeWebhook(run: DeliveryRun, life: Life, { old, now }: ChangeOf<'webhooks'>): void {
  if (!old || !now) return
  const { trace } = run
  if (old.state !== now.state) trace.note(life.name, 'makes', now.id, now.state, now.reason)
  if (!run.skews.has(life.name) || old.state === now.state) return
  if (old.state !== 'active' || now.state !== 'paused') {
    complain(run, `${life.name} makes ${now.id} ${now.state}, which was ${old.state}`)
  }
  if (now.reason === 'MONTHLY_CAPACITY_EXCEEDED') return
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
function judgeResults(run: DeliveryRun, life: Life, changes: readonly Change[]): void {
  const results = run.recording.get(life.name) ?? []
  for (const { table, old, now } of changes) {
    if (table !== 'deliveries' || !now || now.kind === 'error' || old?.part === now.part) continue
    const given = results.find(({ webhookIds }) => webhookIds.includes(now.webhook_id))
    const stored = run.book.results.get(resultKey(now))
    const truncation = given?.truncation ? JSON.stringify(given.truncation) : null
    if (given && stored?.data === given.data && stored.truncation === truncation) continue
    complain(run, `${nameOf(now)} is recorded with ${stored?.data} instead of ${given?.data}`)
  }
}

/** An event is due to exactly those that are active. */
function judgeEvent(run: DeliveryRun, changes: readonly Change[]): void {
  const due = (run.recording.get(CHAIN) ?? []).flatMap(({ webhookIds }) => webhookIds)
  const active = due.filter((id) => run.book.webhooks.get(id)?.row.state === 'active')
  const recorded = changes.flatMap(({ table, now }) =>
    table === 'deliveries' && now ? [now.webhook_id] : [],
  )
  if (active.sort().join() !== recorded.sort().join()) {
    complain(run, `an event is due to ${active} and recorded for ${recorded}`)
  }
}
