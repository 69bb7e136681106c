import type { Life } from '../../process-life.ts'
import type { BookedRow } from '../book.ts'
import { complain, type DeliveryRun, type Post } from '../delivery-run.ts'
import { epochOf, leaseOf } from '../owners.ts'
import { bodyOf, nameOf } from '../posted.ts'

const SPREAD = 0.2
const PATIENCE_MS_MAX = 3_600_000

/** Judges what a courier writes of a delivery; the POST that was accepted, if one was. */
export function judgeOutcome(
  run: DeliveryRun,
  life: Life,
  old: BookedRow,
  now: BookedRow,
): Post | null {
  const posts = untoldPosts(run, life, old)
  const fault = outcomeFault(run, life, old, now, posts)
  for (const post of posts) post.isWritten = true
  if (fault !== null) complain(run, `${life.name} writes of ${nameOf(old)}: ${fault}`)
  run.trace.note(life.name, 'writes', nameOf(old), now.state, now.attempts_made)
  return now.state === 'delivered' ? (posts[0] ?? null) : null
}

/** An outcome is known by what was sent since, and by who has not told of it yet. */
function untoldPosts({ posts, book }: DeliveryRun, life: Life, old: BookedRow): Post[] {
  const now = epochOf(book.owners, old.webhook)
  const untold = posts.filter(
    ({ deliveryId, sentAs, epoch, isWritten, life: sender }) =>
      deliveryId === old.id &&
      sender === life &&
      epoch === now &&
      !isWritten &&
      sentAs?.version === old.version &&
      sentAs.attempts_made === old.attempts_made,
  )
  return untold.filter((post) => post === untold.at(-1) || !post.mayBeEarlier)
}

function outcomeFault(
  run: DeliveryRun,
  life: Life,
  old: BookedRow,
  now: BookedRow,
  posts: readonly Post[],
): string | null {
  if (leaseOf(run.book.owners, old.webhook, life.name) === null) {
    return `its shard is ${run.book.owners.shards.get(old.webhook & 255)?.courier}'s`
  }
  const counted = now.attempts_made - old.attempts_made
  if (counted !== 1 || posts.length !== 1) {
    return `${counted} attempts are counted, ${posts.length} were made`
  }
  const [post] = posts
  if (!post?.seen) return 'its attempt has not ended'
  if (old.state !== 'waiting' && old.state !== 'cancelled') return `it was ${old.state} already`
  const { status, fault } = post.seen
  const isAccepted = fault === null && status !== null && status >= 200 && status < 300
  if (isAccepted) return acceptanceFault(run, old, now, post)
  return failureFault(run, old, now, post)
}

function acceptanceFault(
  run: DeliveryRun,
  old: BookedRow,
  now: BookedRow,
  { body }: Post,
): string | null {
  if (now.state !== 'delivered') return `it was accepted and is ${now.state}`
  if (now.body_bytes !== Buffer.byteLength(body))
    return `it is said to have ${now.body_bytes} bytes`
  return body === bodyOf(run, old) ? null : 'something else was accepted'
}

function failureFault(run: DeliveryRun, old: BookedRow, now: BookedRow, post: Post): string | null {
  if (old.state === 'cancelled') return now.state === 'cancelled' ? null : `it is ${now.state}`
  if (post.seen?.fault === null && post.seen.status === 410) return goneFault(run, now, post)

  const delayMs = run.plan.settings.retryDelaysMs[now.attempts_made - 1]
  if (delayMs === undefined) {
    return now.state === 'failed' ? null : `it is ${now.state} after its last attempt`
  }
  if (now.state !== 'waiting') return `it is ${now.state} after ${now.attempts_made} attempts`
  const asks = post.seen?.fault === null && [429, 503].includes(post.seen.status ?? 0)
  const heardMs = post.endedWallMs
  const { waitMs: askedWaitMs = null, untilMs = null } = (asks && post.patience) || {}
  const askedMs = askedWaitMs === null ? (untilMs ?? 0) : heardMs + askedWaitMs
  const patientMs = Math.min(askedMs, heardMs + PATIENCE_MS_MAX)
  const low = Math.max(patientMs, heardMs + Math.floor(delayMs * (1 - SPREAD)))
  const high = Math.max(patientMs, heardMs + Math.ceil(delayMs * (1 + SPREAD)))
  if (now.due_at_ms >= low && now.due_at_ms <= high) return null
  const waitMs = now.due_at_ms - heardMs
  return `its next attempt waits ${waitMs} ms, not ${low - heardMs} to ${high - heardMs}`
}

/** The destination is gone: its webhook is paused, and the delivery waits for somebody. */
function goneFault(run: DeliveryRun, now: BookedRow, post: Post): string | null {
  if (now.kind === 'error') return now.state === 'failed' ? null : `it is ${now.state}`
  if (now.state !== 'waiting') return `it is ${now.state} since its destination is gone`
  const waitMs = now.due_at_ms - post.endedWallMs
  if (waitMs !== 0) return `it waits ${waitMs} ms for a destination gone`

  const webhook = run.book.webhooks.get(now.webhook_id)
  const wasPaused = webhook?.versions.some(
    ({ row, fromMs }) => row.state !== 'active' && fromMs >= post.startedMs,
  )
  const leadsElsewhere = webhook?.row.url !== post.url
  const isPaused = webhook?.row.state !== 'active'
  return isPaused || wasPaused || leadsElsewhere ? null : 'its webhook is not paused'
}
