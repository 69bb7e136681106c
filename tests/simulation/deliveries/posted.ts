import { createHmac } from 'node:crypto'
import type { EgressRequest } from '../../../src/ports/egress.ts'
import type { Life } from '../process-life.ts'
import { NETWORK } from '../sim-store.ts'
import { type BookedRow, type BookedWebhook, resultKey, type Version } from './book.ts'
import { type DeliveryRun, heardKey, staleMs, wallOf } from './delivery-run.ts'
import type { WebhookRow } from './journal-changes.ts'
import { unsealed } from './sim-keys.ts'

export function nameOf({ webhook_id, kind, event, sequence_number }: BookedRow): string {
  return `${webhook_id}/${kind === 'error' ? `error${event}` : sequence_number % 1e12}`
}

/** What the body has to be, byte for byte, without the code under test; null without a result. */
export function bodyOf(run: DeliveryRun, row: BookedRow): string | null {
  const { id, webhook_id: webhookId, kind, sequence_number, created_at_ms } = row
  const createdAt = new Date(created_at_ms).toISOString()
  const opening = { webhookId, id, createdAt, type: 'GRAPHQL' }
  if (kind === 'error') return JSON.stringify({ ...opening, event: { error: row.error } })
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

/** What a courier may take a webhook for, since it has not heard of a change. */
export function knownVersions(
  run: DeliveryRun,
  life: Life,
  { row, versions }: BookedWebhook,
): Version<WebhookRow>[] {
  const heardMs = run.heard.get(heardKey(life, row.id)) ?? 0
  const fromMs = Math.max(heardMs, run.clock.elapsedMs() - staleMs(run, life))
  return versions.filter((_, at) => (versions[at + 1]?.fromMs ?? Infinity) >= fromMs)
}

/** Signed with what the courier may know of the webhook, and for the place it may lead to. */
export function headersFault(
  run: DeliveryRun,
  life: Life,
  known: readonly Version<WebhookRow>[],
  row: BookedRow,
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
function headersOf(webhook: WebhookRow, row: BookedRow, body: string, wall: number) {
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
