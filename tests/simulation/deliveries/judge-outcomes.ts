import type { Life } from '../process-life.ts'
import type { BookedDelivery, BookedWebhook } from './book.ts'
import {
  complain,
  type DeliveryRun,
  isAlone,
  isPrompt,
  type Post,
  staleMs,
  wallOf,
} from './delivery-run.ts'
import type { DeliveryRow } from './journal-changes.ts'
import { bodyOf, nameOf, orderedSinceMs } from './judge-posts.ts'

const SPREAD = 0.2
const PATIENCE_MS_MAX = 3_600_000

/** When a webhook that is gone could not be paused. */
const GONE_AGAIN_MS = 60_000

/** Judges a delivery that a courier claims. */
export function judgeClaim(
  run: DeliveryRun,
  life: Life,
  { row: old, claims }: BookedDelivery,
  now: DeliveryRow,
): void {
  const fault = claimFault(run, life, old, now)
  if (fault !== null) complain(run, `${nameOf(old)} is claimed by ${life.name}: ${fault}`)
  claims.push({ by: life.name, lease: now.lease ?? '' })
  run.trace.note(life.name, 'claims', nameOf(old), now.lease)
}

function claimFault(
  run: DeliveryRun,
  life: Life,
  old: DeliveryRow,
  now: DeliveryRow,
): string | null {
  if (isAlone(run.plan)) return 'nobody else sends'
  const wall = latestWall(run, life)
  const webhook = run.book.webhooks.get(old.webhook_id)
  if (!now.lease?.startsWith(`${life.name}.`)) return `in the name of ${now.lease}`
  if (old.state !== 'waiting') return `it is ${old.state}`
  if (old.lease_until_ms > wall) return `${old.lease} has it`
  // What is new is due at once, whoever's clock said when it was made.
  if (old.lane !== 'first' && old.due_at_ms > wall)
    return `it is not due for another ${old.due_at_ms - wall} ms`
  if (old.kind === 'error') return null
  if (webhook?.row.state !== 'active') return `its webhook is ${webhook?.row.state}`
  return turnFault(run, old, webhook)
}

/** Strictly one after the other: whether one that comes before it still waits. */
export function turnFault(
  run: DeliveryRun,
  old: DeliveryRow,
  webhook: BookedWebhook,
): string | null {
  if (!webhook.row.ordered) return null
  const elapsedMs = run.clock.elapsedMs()
  if (elapsedMs < orderedSinceMs(webhook) + staleMs(run)) return null
  const ahead = webhook.deliveries.find(
    ({ row, againAtMs }) =>
      row.kind === 'data' &&
      row.state === 'waiting' &&
      (row.sequence_number ?? 0) < (old.sequence_number ?? 0) &&
      (againAtMs === null || elapsedMs > againAtMs + staleMs(run)),
  )
  return ahead ? `${nameOf(ahead.row)} has to come before it` : null
}

/** Judges what a courier writes of a delivery; the POST that was accepted, if one was. */
export function judgeOutcome(
  run: DeliveryRun,
  life: Life,
  old: DeliveryRow,
  now: DeliveryRow,
): Post | null {
  const posts = isAlone(run.plan) ? ownPosts(run, life, old) : claimedPosts(run, old)
  const fault = outcomeFault(run, life, old, now, posts)
  for (const post of posts) post.isWritten = true
  if (fault !== null) complain(run, `${life.name} writes of ${nameOf(old)}: ${fault}`)
  run.trace.note(life.name, 'writes', nameOf(old), now.state, now.attempts_made)
  return now.state === 'delivered' ? (posts[0] ?? null) : null
}

function claimedPosts({ posts }: DeliveryRun, { id, lease }: DeliveryRow): Post[] {
  return posts.filter((post) => post.deliveryId === id && post.lease === lease)
}

/** Without a claim an outcome is known by what was sent, and by who has not told of it yet. */
function ownPosts({ posts }: DeliveryRun, life: Life, old: DeliveryRow): Post[] {
  return posts.filter(
    ({ deliveryId, sentAs, isWritten, life: sender }) =>
      deliveryId === old.id &&
      sender === life &&
      !isWritten &&
      sentAs?.attempts_made === old.attempts_made &&
      sentAs.part === old.part,
  )
}

function outcomeFault(
  run: DeliveryRun,
  life: Life,
  old: DeliveryRow,
  now: DeliveryRow,
  posts: readonly Post[],
): string | null {
  if (!isAlone(run.plan) && !old.lease?.startsWith(`${life.name}.`))
    return `it is claimed by ${old.lease}`
  const counted = now.attempts_made - old.attempts_made
  if (counted !== posts.length) return `${counted} attempts are counted, ${posts.length} were made`
  const [post] = posts
  if (!post) return releaseFault(run, life, old, now)
  if (!post.seen) return 'its attempt has not ended'
  const { status, fault } = post.seen
  const isAccepted = fault === null && status !== null && status >= 200 && status < 300
  if (isAccepted) return acceptanceFault(run, old, now, post)
  return failureFault(run, old, now, post)
}

function releaseFault(
  run: DeliveryRun,
  life: Life,
  old: DeliveryRow,
  now: DeliveryRow,
): string | null {
  if (now.state !== old.state) return `it is ${now.state} and was never sent`
  const isPutOff = now.lane !== 'first' && now.due_at_ms > latestWall(run, life)
  return isPutOff ? 'it is given back and put off' : null
}

/** It may have looked at its clock before somebody set it. */
export function latestWall(run: DeliveryRun, life: Life): number {
  const hasJumped = run.plan.couriers.some(({ jump }) => jump !== null)
  return wallOf(run, life.name) + (hasJumped ? run.plan.skewSpreadMs : 0)
}

function acceptanceFault(
  run: DeliveryRun,
  old: DeliveryRow,
  now: DeliveryRow,
  { body }: Post,
): string | null {
  if (now.state !== 'delivered') return `it was accepted and is ${now.state}`
  if (now.body_bytes !== Buffer.byteLength(body))
    return `it is said to have ${now.body_bytes} bytes`
  return body === bodyOf(run, old) ? null : 'something else was accepted'
}

function failureFault(
  run: DeliveryRun,
  old: DeliveryRow,
  now: DeliveryRow,
  post: Post,
): string | null {
  if (old.state === 'cancelled') return now.state === 'cancelled' ? null : `it is ${now.state}`
  if (post.seen?.fault === null && post.seen.status === 410) return goneFault(run, now, post)

  const delayMs = run.plan.settings.retryDelaysMs[now.attempts_made - 1]
  if (delayMs === undefined) {
    return now.state === 'failed' ? null : `it is ${now.state} after its last attempt`
  }
  if (now.state !== 'waiting') return `it is ${now.state} after ${now.attempts_made} attempts`
  const asks = post.seen?.fault === null && [429, 503].includes(post.seen.status ?? 0)
  const askedMs = (asks && post.patience?.untilMs) || 0
  const heardMs = post.endedWallMs
  const patientMs = Math.min(askedMs, heardMs + PATIENCE_MS_MAX)
  const low = Math.max(patientMs, heardMs + Math.floor(delayMs * (1 - SPREAD)))
  const high = Math.max(patientMs, heardMs + Math.ceil(delayMs * (1 + SPREAD)))
  if (now.due_at_ms >= low && now.due_at_ms <= high) return null
  const waitMs = now.due_at_ms - heardMs
  return `its next attempt waits ${waitMs} ms, not ${low - heardMs} to ${high - heardMs}`
}

/** The destination is gone: its webhook is paused, and the delivery waits for somebody. */
function goneFault(run: DeliveryRun, now: DeliveryRow, post: Post): string | null {
  if (now.kind === 'error') return now.state === 'failed' ? null : `it is ${now.state}`
  if (now.state !== 'waiting') return `it is ${now.state} since its destination is gone`
  const waitMs = now.due_at_ms - post.endedWallMs
  if (waitMs !== 0 && isPrompt(run.plan)) return `it waits ${waitMs} ms for a destination gone`
  if (waitMs >= GONE_AGAIN_MS) return null

  const webhook = run.book.webhooks.get(now.webhook_id)
  const wasPaused = webhook?.versions.some(
    ({ row, fromMs }) => row.state !== 'active' && fromMs >= post.startedMs,
  )
  const leadsElsewhere = webhook?.row.url !== post.url
  const isPaused = webhook?.row.state !== 'active'
  return isPaused || wasPaused || leadsElsewhere ? null : 'its webhook is not paused'
}
