import type { EgressRequest } from '../../../src/ports/egress.ts'
import type { BookedDelivery, BookedWebhook, Version } from './book.ts'
import { complain, type DeliveryRun, isPrompt, type Post, staleMs } from './delivery-run.ts'
import type { DeliveryRow, WebhookRow } from './journal-changes.ts'
import { lastWordFault } from './judge-last-word.ts'
import { latestWall, turnFault } from './judge-outcomes.ts'
import {
  bodyOf,
  headersFault,
  knownVersions,
  nameOf,
  orderedSinceMs,
  overtakingFault,
} from './judge-posts.ts'

/** Judges a POST of the only process that sends, which has claimed nothing. */
export function judgeOwnPost(run: DeliveryRun, post: Post, request: EgressRequest): void {
  const delivery = run.book.deliveries.get(post.deliveryId)
  const webhook = run.book.webhooks.get(post.webhookId)
  if (!delivery || !webhook) return void complain(run, `${post.deliveryId} is sent and is none`)

  post.sentAs = readAs(run, post, delivery)
  const faults = [
    rowFault(run, post),
    sameFault(run, post),
    webhookFault(run, post, webhook, request),
    orderFault(run, post, delivery, webhook),
    lastWordFault(run, post, webhook),
  ]
  for (const fault of faults) {
    if (fault !== null)
      complain(run, `${nameOf(delivery.row)} is sent by ${post.life.name}: ${fault}`)
  }
  delivery.wasSent = true
}

/**
 * The newest of what the row is, or was before somebody else changed it so lately that the
 * sender need not have read it again. What couriers write they know.
 */
function readAs(run: DeliveryRun, post: Post, { versions }: BookedDelivery): DeliveryRow | null {
  const fromMs = run.clock.elapsedMs() - staleMs(run)
  const found = versions.findLast(({ row }, at) => {
    const next = versions[at + 1]
    const mayBeRead = !next || (!run.skews.has(next.by) && next.fromMs >= fromMs)
    return mayBeRead && row.state === 'waiting' && bodyOf(run, row) === post.body
  })
  return found?.row ?? null
}

function rowFault(run: DeliveryRun, { sentAs, life, body, deliveryId }: Post): string | null {
  if (!sentAs) {
    const row = run.book.deliveries.get(deliveryId)?.row
    return `it is ${row?.state}, and its body is ${body}`
  }
  const waitMs = sentAs.due_at_ms - latestWall(run, life)
  // What is new is due at once, whoever's clock said when it was made.
  return sentAs.lane !== 'first' && waitMs > 0 ? `it is not due for another ${waitMs} ms` : null
}

/** What a process that died had on its way nobody can call back. */
function sameFault({ posts }: DeliveryRun, post: Post): string | null {
  const isOnItsWay = posts.some(
    (other) =>
      other !== post &&
      other.life === post.life &&
      other.deliveryId === post.deliveryId &&
      other.endedMs === null,
  )
  return isOnItsWay ? 'it is on its way already' : null
}

function webhookFault(
  run: DeliveryRun,
  { life, kind, sentAs }: Post,
  webhook: BookedWebhook,
  request: EgressRequest,
): string | null {
  const known = knownVersions(run, life, webhook).filter(
    (version) => !knowsBetter(run, version, webhook),
  )
  const wanted = known.filter(({ row }) => kind === 'error' || row.state === 'active')
  if (wanted.length === 0) return `its webhook is ${webhook.row.state}`
  return sentAs && headersFault(run, life, wanted, sentAs, request)
}

/** A courier hears at once of what it changes itself, unless the store takes its time. */
function knowsBetter(
  run: DeliveryRun,
  version: Version<WebhookRow>,
  { versions }: BookedWebhook,
): boolean {
  const next = versions[versions.indexOf(version) + 1]
  if (!next || !isPrompt(run.plan)) return false
  return run.skews.has(next.by) && next.fromMs < run.clock.elapsedMs()
}

function orderFault(
  run: DeliveryRun,
  post: Post,
  delivery: BookedDelivery,
  webhook: BookedWebhook,
): string | null {
  if (post.kind === 'error') return null
  if (!webhook.row.ordered) return overtakingFault(post, delivery, webhook)
  return turnFault(run, delivery.row, webhook) ?? companyFault(run, post, webhook)
}

/** Strictly one after the other, once it knows that this is wanted. */
function companyFault(run: DeliveryRun, post: Post, webhook: BookedWebhook): string | null {
  const settledMs = orderedSinceMs(webhook) + staleMs(run) + run.plan.settings.timeoutMs
  if (run.clock.elapsedMs() < settledMs) return null
  const other = run.posts.find(
    (one) =>
      one !== post &&
      one.life === post.life &&
      one.webhookId === post.webhookId &&
      one.kind === 'data' &&
      one.endedMs === null,
  )
  return other ? `${other.deliveryId} is on its way too` : null
}
