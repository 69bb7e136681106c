import { createHmac } from 'node:crypto'
import type { EgressRequest } from '../../../src/ports/egress.ts'
import type { Life } from '../process-life.ts'
import { NETWORK } from '../sim-store.ts'
import { type BookedDelivery, type BookedWebhook, resultKey, type Version } from './book.ts'
import {
  complain,
  type DeliveryRun,
  heardKey,
  isExact,
  isUnderWay,
  type Post,
  staleMs,
  wallOf,
} from './delivery-run.ts'
import type { DeliveryRow, WebhookRow } from './journal-changes.ts'
import { lastWordFault } from './judge-last-word.ts'
import { unsealed } from './sim-keys.ts'

/** Where teams are sent whose month is used up. */
export const PUBLIC_URL = 'https://headgate.example'

/** To the letter, as the contract has it. */
export const CAPACITY_TEXT =
  'Monthly capacity limit exceeded. Visit https://headgate.example/settings/billing to upgrade ' +
  'your scaling policy for continued service.'

/** Judges a POST that leaves. */
export function judgePost(run: DeliveryRun, post: Post, request: EgressRequest): void {
  const delivery = run.book.deliveries.get(post.deliveryId)
  const webhook = run.book.webhooks.get(post.webhookId)
  if (!delivery || !webhook) return void complain(run, `${post.deliveryId} is sent and is none`)

  const isTakenOver = wasTakenOver(run, post, delivery)
  const faults = isTakenOver
    ? []
    : [
        leaseFault(run, post, delivery),
        bodyFault(run, delivery.row, post.body),
        headersFault(run, post.life, knownVersions(run, post.life, webhook), delivery.row, request),
        orderFault(run, post, delivery, webhook),
        lastWordFault(run, post, webhook),
      ]
  for (const fault of faults) {
    if (fault !== null)
      complain(run, `${nameOf(delivery.row)} is sent by ${post.life.name}: ${fault}`)
  }
  delivery.wasSent = true
}

export function nameOf({ webhook_id, kind, sequence_number }: DeliveryRow): string {
  return `${webhook_id}/${kind === 'error' ? 'error' : (sequence_number ?? 0) % 1e12}`
}

/** What the body has to be, byte for byte; null when there is no result. */
export function bodyOf(run: DeliveryRun, row: DeliveryRow): string | null {
  const { id, webhook_id: webhookId, kind, sequence_number, created_at_ms } = row
  const createdAt = new Date(created_at_ms).toISOString()
  const opening = { webhookId, id, createdAt, type: 'GRAPHQL' }
  if (kind === 'error') return JSON.stringify({ ...opening, event: { error: CAPACITY_TEXT } })
  const result = run.book.results.get(resultKey(row))
  if (!result) return null
  const truncation = result.truncation && JSON.parse(result.truncation)
  const cut = truncation && {
    truncated: true,
    truncatedFields: truncation.fields,
    truncationReason: truncation.reason,
  }
  const rest = { sequenceNumber: `${sequence_number}`, network: NETWORK, ...cut }
  const restText = JSON.stringify(rest).slice(1)
  const openingText = JSON.stringify(opening).slice(0, -1)
  return `${openingText},"event":{"data":${result.data},${restText}}`
}

function leaseFault(run: DeliveryRun, post: Post, { row }: BookedDelivery): string | null {
  if (!isExact(run.plan)) return null
  if (!row.lease?.startsWith(`${post.life.name}.`)) return `it is claimed by ${row.lease}`
  if (row.state !== 'waiting' && row.state !== 'cancelled') return `it is ${row.state} already`
  const tooLate = wallOf(run, post.life.name) + run.plan.settings.timeoutMs >= row.lease_until_ms
  if (tooLate) return 'its lease may lapse under way'
  const sameOnItsWay = run.posts.some(
    (other) => other !== post && other.deliveryId === row.id && overlaps(run, other),
  )
  return sameOnItsWay ? 'it is on its way already' : null
}

/**
 * Somebody whose clock is ahead may have taken it over since: another courier, or who has it
 * sent anew. Then it leaves as it was when it was claimed.
 */
function wasTakenOver(run: DeliveryRun, post: Post, { row, againAtMs }: BookedDelivery): boolean {
  if (row.lease === post.lease) return false
  const behindMs = -(run.skews.get(post.life.name) ?? 0)
  return !isExact(run.plan) || (againAtMs !== null && behindMs >= run.plan.settings.timeoutMs)
}

/** One that has nearly ended may be overtaken by as much as clocks differ. */
function overlaps(run: DeliveryRun, other: Post): boolean {
  if (!isUnderWay(run, other)) return false
  const { timeoutMs } = run.plan.settings
  return run.clock.elapsedMs() + run.plan.skewSpreadMs < other.startedMs + timeoutMs
}

function bodyFault(run: DeliveryRun, row: DeliveryRow, body: string): string | null {
  const expected = bodyOf(run, row)
  return body === expected ? null : `its body is ${body} where ${expected} is due`
}

/** What a courier may take a webhook for, since it has not heard of a change. */
export function knownVersions(
  run: DeliveryRun,
  life: Life,
  { row, versions }: BookedWebhook,
): Version<WebhookRow>[] {
  const heardMs = run.heard.get(heardKey(life, row.id)) ?? 0
  const fromMs = Math.max(heardMs, run.clock.elapsedMs() - staleMs(run))
  return versions.filter((_, at) => (versions[at + 1]?.fromMs ?? Infinity) >= fromMs)
}

/** Signed with what the courier may know of the webhook, and for the place it may lead to. */
export function headersFault(
  run: DeliveryRun,
  life: Life,
  known: readonly Version<WebhookRow>[],
  row: DeliveryRow,
  request: EgressRequest,
): string | null {
  const wall = wallOf(run, life.name)
  const inForce = known.filter((version) => version.row.url === request.url)
  if (inForce.length === 0) return `it goes to ${request.url}`
  const given = JSON.stringify(Object.entries(request.headers).sort())
  const isGiven = (version: WebhookRow) => {
    const headers = headersOf(version, row, request.body, wall)
    return JSON.stringify(Object.entries(headers).sort()) === given
  }
  return inForce.some((version) => isGiven(version.row)) ? null : `its headers are ${given}`
}

/** As the contract says, without the code under test. */
function headersOf(webhook: WebhookRow, row: DeliveryRow, body: string, wall: number) {
  const { signing_key_sealed, previous_key_sealed, previous_key_until_ms } = webhook
  const hasPrevious = previous_key_sealed !== null && wall < (previous_key_until_ms ?? 0)
  const keys = [signing_key_sealed, ...(hasPrevious ? [previous_key_sealed] : [])].map(unsealed)
  const timestamp = `${Math.floor(wall / 1000)}`
  const standard = keys.map((key) => {
    const secret = Buffer.from(key.slice('whsec_'.length), 'base64')
    const mac = createHmac('sha256', secret).update(`${row.id}.${timestamp}.${body}`)
    return `v1,${mac.digest('base64')}`
  })
  const [current, previous] = keys.map((key) =>
    createHmac('sha256', key).update(body).digest('hex'),
  )
  return {
    'content-type': 'application/json',
    'user-agent': 'Headgate-Webhooks/1',
    'x-service-signature': `${current}`,
    ...(previous === undefined ? {} : { 'x-service-signature-previous': previous }),
    'webhook-id': row.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': standard.join(' '),
    ...(row.previous_sequence === null
      ? {}
      : { 'x-headgate-previous': `${row.previous_sequence}` }),
    ...(row.replay ? { 'x-headgate-replay': '1' } : {}),
  }
}

function orderFault(
  run: DeliveryRun,
  post: Post,
  delivery: BookedDelivery,
  webhook: BookedWebhook,
): string | null {
  if (post.kind === 'error' || !isExact(run.plan)) return null
  return webhook.row.ordered
    ? companyFault(run, post, webhook)
    : overtakingFault(post, delivery, webhook)
}

/** Strictly one after the other, once everybody knows that this is wanted. */
function companyFault(run: DeliveryRun, post: Post, webhook: BookedWebhook): string | null {
  const settledMs = orderedSinceMs(webhook) + staleMs(run) + run.plan.settings.timeoutMs
  if (run.clock.elapsedMs() < settledMs) return null
  // Sent anew or replayed by hand, one may meet another that another courier has on its way.
  const isAgain = (id: string) => {
    const { row, againAtMs } = run.book.deliveries.get(id) ?? {}
    return againAtMs !== null || row?.replay === 1
  }
  if (isAgain(post.deliveryId)) return null
  const other = run.posts.find(
    (one) =>
      one !== post &&
      one.webhookId === post.webhookId &&
      one.kind === 'data' &&
      overlaps(run, one) &&
      !isAgain(one.deliveryId),
  )
  return other ? `${other.deliveryId} is on its way too` : null
}

/** A first attempt overtakes none that nobody else has, or had, in hand. */
export function overtakingFault(
  { life }: Post,
  { row, wasSent, againAtMs }: BookedDelivery,
  { deliveries }: BookedWebhook,
): string | null {
  if (wasSent || againAtMs !== null || row.replay) return null
  const overtaken = deliveries.find(
    (other) =>
      other.row.kind === 'data' &&
      other.row.state === 'waiting' &&
      !other.wasSent &&
      other.againAtMs === null &&
      !other.row.replay &&
      (other.row.sequence_number ?? 0) < (row.sequence_number ?? 0) &&
      !other.claims.some(({ by }) => by !== life.name),
  )
  return overtaken ? `it overtakes ${nameOf(overtaken.row)}` : null
}

export function orderedSinceMs({ versions }: BookedWebhook): number {
  const before = versions.findLastIndex(({ row }) => !row.ordered)
  return before === -1 ? 0 : (versions[before + 1]?.fromMs ?? 0)
}
