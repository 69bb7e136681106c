import { deliveryHeaders } from '../../../core/delivery/signature.ts'
import { type Secrets, signingKeyPlace } from '../../../ports/secrets.ts'
import type { DeliveryWithAttempts } from '../../../tables/deliveries/log/delivery-page.ts'
import { findWebhook, type StoredWebhook } from '../../../tables/webhooks/webhooks.ts'
import type { ManagementApi } from '../management-api.ts'
import { KEY_OVERLAP_MS } from './webhook-call-parts.ts'

const SIGNATURES = ['x-service-signature', 'x-service-signature-previous', 'webhook-signature']

/**
 * The headers that an attempt at a moment was sent with, or would be; null without a moment. They
 * are made again as the courier makes them. The keys of before a rotation are not all known any
 * more, so that signatures of then are left out.
 */
export async function sentHeaders(
  { database, secrets }: ManagementApi,
  delivery: DeliveryWithAttempts,
  body: string | null,
  atMs: number | undefined,
): Promise<Record<string, string> | null> {
  if (atMs === undefined || body === null) return null

  const webhook = await findWebhook(database, delivery.teamId, delivery.webhookId)
  const keys = webhook && keysAt(secrets, webhook, atMs)
  const headers = deliveryHeaders({
    keys: keys ?? [UNKNOWN_KEY],
    deliveryId: delivery.id,
    timestampS: Math.floor(atMs / 1000),
    body,
    previousSequence: delivery.previousSequence,
    replay: delivery.replay,
    isVerified: delivery.result?.isVerified === true,
  })
  if (!keys) for (const name of SIGNATURES) delete headers[name]
  return headers
}

/** Signs what is left out afterwards. */
const UNKNOWN_KEY = `whsec_${'0'.repeat(24)}`

/** The keys that signed at a moment; null when the present ones came later. */
function keysAt(
  secrets: Secrets,
  { webhook, key }: StoredWebhook,
  atMs: number,
): [string, string?] | null {
  const { sealed, previousSealed, previousUntilMs } = key
  const place = signingKeyPlace(webhook.id)
  const current = secrets.open(sealed, place)
  if (previousSealed === null || previousUntilMs === null) return [current]
  if (atMs < previousUntilMs - KEY_OVERLAP_MS) return null
  return atMs < previousUntilMs ? [current, secrets.open(previousSealed, place)] : [current]
}
