import type { Webhook } from '../../../core/delivery/webhook.ts'
import { type Secrets, signingKeyPlace } from '../../../ports/secrets.ts'
import type { StandingRules, StoredWebhook } from '../../../tables/webhooks/webhooks.ts'
import type { GraphqlQuery, WireWebhook } from '../../contract/contract.ts'
import type { ManagementApi } from '../management-api.ts'

/** After a rotation the old key signs this long too, until every receiver has the new one. */
export const KEY_OVERLAP_MS = 24 * 3_600_000

export type WebhookReply = { data: WireWebhook }

/** 36^16, about 2^82: no two will ever meet. */
export const ID_LENGTH = 16

/** 36^24, about 2^124, cannot be guessed. */
const KEY_LENGTH = 24

export function rulesNow({ tiers, publicUrl, clock }: ManagementApi): StandingRules {
  return { tiers, publicUrl, nowMs: clock.nowMs() }
}

export function queryParts<Parts extends Partial<GraphqlQuery>>(given: string | Parts) {
  return typeof given === 'string' ? ({ query: given } as Parts) : given
}

export function newSigningKey({ entropy }: ManagementApi): string {
  return `whsec_${entropy.alphanumeric(KEY_LENGTH)}`
}

export function webhookOf(
  { secrets }: { secrets: Secrets },
  { webhook, key, nextKeySealed }: StoredWebhook,
): WireWebhook {
  const place = signingKeyPlace(webhook.id)
  const nextKey = nextKeySealed === null ? null : secrets.open(nextKeySealed, place)
  return wireWebhook(webhook, secrets.open(key.sealed, place), nextKey)
}

export function wireWebhook(
  webhook: Webhook,
  signingKey: string,
  nextKey: string | null,
): WireWebhook {
  return {
    id: webhook.id,
    name: webhook.name,
    network: webhook.network,
    webhook_type: 'GRAPHQL',
    webhook_url: webhook.url,
    is_active: webhook.state === 'active',
    state: webhook.state,
    deactivation_reason: webhook.reason,
    time_created: webhook.createdAtMs,
    signing_key: signingKey,
    next_signing_key: nextKey,
    version: 'V2',
    graphql_query: { query: webhook.query, skip_empty_messages: webhook.skipEmpty },
    app_id: webhook.appId,
    ordered: webhook.ordered,
    notify_removed: webhook.notifyRemoved,
  }
}
