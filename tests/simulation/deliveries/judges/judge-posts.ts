import type { EgressRequest } from '../../../../src/ports/egress.ts'
import type { BookedDelivery, BookedRow, BookedWebhook, Version } from '../book.ts'
import {
  complain,
  type DeliveryRun,
  isExact,
  isPrompt,
  latestWall,
  type Post,
  staleMs,
  untoldMs,
} from '../delivery-run.ts'
import type { WebhookRow } from '../journal-changes.ts'
import { epochOf, leaseOf } from '../owners.ts'
import { bodyOf, headersFault, knownVersions, nameOf } from '../posted.ts'
import { lastWordFault } from './judge-last-word.ts'

/** Judges a POST that leaves. */
export function judgePost(run: DeliveryRun, post: Post, request: EgressRequest): void {
  const delivery = run.book.deliveries.get(post.deliveryId)
  const webhook = run.book.webhooks.get(post.webhookId)
  if (!delivery || !webhook) return void complain(run, `${post.deliveryId} is sent and is none`)

  const known = readAs(run, post, delivery, webhook)
  post.sentAs = known.at(-1) ?? null
  post.mayBeEarlier = known.some(({ version }) => version !== post.sentAs?.version)
  post.epoch = epochOf(run.book.owners, webhook.row.number)
  const faults = [
    ownerFault(run, post, webhook),
    rowFault(run, post, delivery),
    sameFault(run, post),
    webhookFault(run, post, webhook, request),
    orderFault(run, post, webhook),
    lastWordFault(run, post, webhook),
  ]
  for (const fault of faults) {
    if (fault !== null)
      complain(run, `${nameOf(delivery.row)} is sent by ${post.life.name}: ${fault}`)
  }
  delivery.sentIn.add(post.epoch)
}

/** Only the owner of the shard sends, and not so late that the lease may lapse under way. */
function ownerFault(run: DeliveryRun, { life }: Post, { row }: BookedWebhook): string | null {
  const { owners } = run.book
  const lease = leaseOf(owners, row.number, life.name)
  if (!lease) return isExact(run.plan) ? `shard ${row.number & 255} is not its own` : null
  if (run.plan.couriers.some(({ jump }) => jump !== null)) return null
  const leftMs = lease.untilMs - run.clock.elapsedMs()
  const { timeoutMs } = run.plan.settings
  return leftMs < timeoutMs ? `its lease lasts for another ${leftMs} ms` : null
}

/** All that the sender may have read the delivery as and found due, the newest last. */
function readAs(
  run: DeliveryRun,
  post: Post,
  delivery: BookedDelivery,
  webhook: BookedWebhook,
): BookedRow[] {
  const known = knownRows(run, post, delivery, webhook)
  const due = known.filter((row) => notDueMs(run, row, post.life) <= 0)
  return due.length > 0 ? due : known
}

/**
 * All that the sender may have read the delivery as: what it is, or was before somebody else
 * changed it so lately that the sender need not have read it again. What couriers write they
 * know. Where clocks differ by more than a lease lasts, one that was fenced unawares may send
 * what it had read before.
 */
function knownRows(
  run: DeliveryRun,
  post: Post,
  { versions }: BookedDelivery,
  { row: { number } }: BookedWebhook,
): BookedRow[] {
  const fromMs = run.clock.elapsedMs() - untoldMs(run, post.life)
  const isSame = (row: BookedRow) => row.state === 'waiting' && bodyOf(run, row) === post.body
  if (!isExact(run.plan) && !leaseOf(run.book.owners, number, post.life.name)) {
    return versions.filter(({ row }) => isSame(row)).map(({ row }) => row)
  }
  const mayBeUnread = (row: BookedRow, next: Version<BookedRow>) => {
    // A pause has an error sent anew, whoever owns the shard.
    const isOutcome = run.couriers.has(next.by) && next.row.version === row.version
    if (isOutcome) return next.by !== post.life.name && !isExact(run.plan)
    return next.fromMs >= fromMs
  }
  const found = versions.filter(({ row }, at) => {
    const next = versions[at + 1]
    return (!next || mayBeUnread(row, next)) && isSame(row)
  })
  return found.map(({ row }) => row)
}

function rowFault(
  run: DeliveryRun,
  { sentAs, life, body }: Post,
  { row }: BookedDelivery,
): string | null {
  if (!sentAs) return `it is ${row.state}, and its body is ${body}`
  const waitMs = notDueMs(run, sentAs, life)
  return waitMs > 0 ? `it is not due for another ${waitMs} ms` : null
}

/** What is new is due at once, whoever's clock said when it was made. */
function notDueMs(run: DeliveryRun, row: BookedRow, life: Post['life']): number {
  return row.lane === 'new' ? 0 : row.due_at_ms - latestWall(run, life)
}

function sameFault(run: DeliveryRun, post: Post): string | null {
  const isOnItsWay = run.posts.some(
    (other) => other.deliveryId === post.deliveryId && overlaps(run, other, post),
  )
  return isOnItsWay ? 'it is on its way already' : null
}

/**
 * Whether another POST is under way that the sender has to wait for. Nobody can call back what
 * a process that died had on its way: under its name its next life goes on at once.
 */
function overlaps({ clock, plan }: DeliveryRun, other: Post, post: Post): boolean {
  if (other === post || other.endedMs !== null) return false
  if (other.life === post.life && (other.epoch === post.epoch || isExact(plan))) return true
  if (!isExact(plan) || (plan.keepsNames && !other.life.alive)) return false
  const overlapMs = plan.skewSpreadMs
  return clock.elapsedMs() + overlapMs < other.startedMs + plan.settings.timeoutMs
}

function webhookFault(
  run: DeliveryRun,
  { life, kind, sentAs }: Post,
  webhook: BookedWebhook,
  request: EgressRequest,
): string | null {
  const known = knownVersions(run, life, webhook).filter(
    (version) => !knowsBetter(run, version, webhook, life.name),
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
  life: string,
): boolean {
  const next = versions[versions.indexOf(version) + 1]
  if (!next || !isPrompt(run.plan)) return false
  return next.by === life && next.fromMs < run.clock.elapsedMs()
}

function orderFault(run: DeliveryRun, post: Post, webhook: BookedWebhook): string | null {
  const { sentAs, life } = post
  const isOwner = leaseOf(run.book.owners, webhook.row.number, life.name) !== null
  if (!sentAs || sentAs.kind === 'error' || !isOwner) return null
  if (!webhook.row.ordered) return overtakingFault(post.epoch, sentAs, webhook)
  return turnFault(run, post, sentAs, webhook) ?? companyFault(run, post, webhook)
}

/** A first attempt overtakes none that its sender has not sent since it owns the shard. */
function overtakingFault(
  epoch: string,
  sentAs: BookedRow,
  { deliveries }: BookedWebhook,
): string | null {
  if (sentAs.lane !== 'new') return null
  const overtaken = deliveries.find(
    ({ row, sentIn }) =>
      row.lane === 'new' &&
      row.sequence_number < sentAs.sequence_number &&
      row.event < sentAs.event &&
      !sentIn.has(epoch),
  )
  return overtaken ? `it overtakes ${nameOf(overtaken.row)}` : null
}

/** Strictly one after the other: whether one that comes before it still waits. */
function turnFault(
  run: DeliveryRun,
  { life }: Post,
  sentAs: BookedRow,
  webhook: BookedWebhook,
): string | null {
  const elapsedMs = run.clock.elapsedMs()
  const toldMs = staleMs(run, life)
  if (elapsedMs < orderedSinceMs(webhook) + toldMs) return null
  const ahead = webhook.deliveries.find(
    ({ row, againAtMs }) =>
      row.kind === 'data' &&
      row.state === 'waiting' &&
      row.event < sentAs.event &&
      (againAtMs === null || elapsedMs > againAtMs + toldMs),
  )
  return ahead ? `${nameOf(ahead.row)} has to come before it` : null
}

/** Never two at once, once the sender knows that this is wanted. */
function companyFault(run: DeliveryRun, post: Post, webhook: BookedWebhook): string | null {
  const toldMs = orderedSinceMs(webhook) + staleMs(run, post.life) + run.plan.settings.timeoutMs
  if (run.clock.elapsedMs() < toldMs) return null
  const other = run.posts.find(
    (one) => one.webhookId === post.webhookId && one.kind === 'data' && overlaps(run, one, post),
  )
  return other ? `${other.deliveryId} is on its way too` : null
}

function orderedSinceMs({ versions }: BookedWebhook): number {
  const before = versions.findLastIndex(({ row }) => !row.ordered)
  return before === -1 ? 0 : (versions[before + 1]?.fromMs ?? 0)
}
