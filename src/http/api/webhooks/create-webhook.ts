import type { Webhook } from '../../../core/delivery/webhook.ts'
import { assert, Rejection } from '../../../core/errors.ts'
import { signingKeyPlace } from '../../../ports/secrets.ts'
import { teamSlotsTaken } from '../../../tables/accounts/team-slots.ts'
import * as webhooks from '../../../tables/webhooks/webhooks.ts'
import type { Handler, TeamCaller } from '../calls/handler.ts'
import { sameNamed } from '../calls/same-named.ts'
import type { ManagementApi } from '../management-api.ts'
import { variableKindRefusal } from '../queries/asked-query.ts'
import { checkWebhook } from './check-webhook.ts'
import {
  ID_LENGTH,
  newSigningKey,
  queryParts,
  rulesNow,
  type WebhookReply,
  webhookOf,
  wireWebhook,
} from './webhook-call-parts.ts'

type NewWebhook = Parameters<typeof createWebhook>[1]['body']

export const createWebhook: Handler<'createWebhook'> = async (api, call) => {
  const asked = call.body
  const { network, webhook_url: url, app_id: appId = null } = asked
  const { query, skip_empty_messages = false } = queryParts(asked.graphql_query)
  const slotsMax = api.tiers.get(call.team.tier)?.webhooksMax ?? 0
  const isByName = call.parameters.by_name === 'true'
  if (isByName && !asked.name) {
    return new Rejection('validation', 'name: by_name finds a webhook by its name, so give one.')
  }
  const taken = await teamSlotsTaken(api.database, call.team.id)
  // One that is there already takes no further slot.
  if (taken >= slotsMax && !isByName) return limitReached(call, slotsMax)

  const checked = await checkWebhook(api, call.team.id, { network, query, url, appId })
  if (checked instanceof Rejection) return checked
  assert(checked !== null, 'a new webhook has a query')

  const webhook: Webhook = {
    id: `wh_${api.entropy.alphanumeric(ID_LENGTH)}`,
    teamId: call.team.id,
    appId,
    network,
    name: asked.name ?? '',
    url,
    query: checked.query,
    skipEmpty: skip_empty_messages,
    ordered: asked.ordered ?? false,
    notifyRemoved: asked.notify_removed ?? false,
    state: 'active',
    reason: null,
    createdAtMs: api.clock.nowMs(),
  }
  const key = newSigningKey(api)
  const keySealed = api.secrets.seal(key, signingKeyPlace(webhook.id))
  const created = await webhooks.createWebhook(api.database, webhook, keySealed, slotsMax, {
    variables: checked.variables,
    rules: rulesNow(api),
    isByName,
  })
  if (created.kind === 'named') return sameWebhook(api, created.named, asked, checked.query)
  if (created.kind === 'no_slot') return limitReached(call, slotsMax)
  if (created.kind === 'other_kind') return variableKindRefusal(created.variable)
  assert(created.kind === 'written', 'what is created is written')

  api.webhooksChanged(webhook.id)
  return { data: wireWebhook(created.stored, key, null) }
}

/** The webhook that has the name, if it is what is asked for. */
function sameWebhook(
  api: ManagementApi,
  named: readonly webhooks.StoredWebhook[],
  asked: NewWebhook,
  query: string,
): WebhookReply | Rejection {
  const { skip_empty_messages: skipEmpty } = queryParts(asked.graphql_query)
  const found = sameNamed(named, {
    id: ({ webhook }) => webhook.id,
    fields: ({ webhook }) => [
      ['network', asked.network, webhook.network],
      ['webhook_url', asked.webhook_url, webhook.url],
      ['graphql_query.query', query, webhook.query],
      ['graphql_query.skip_empty_messages', skipEmpty, webhook.skipEmpty],
      ['app_id', asked.app_id, webhook.appId],
      ['ordered', asked.ordered, webhook.ordered],
      ['notify_removed', asked.notify_removed, webhook.notifyRemoved],
    ],
  })
  return found instanceof Rejection ? found : { data: webhookOf(api, found) }
}

function limitReached({ team }: TeamCaller, slotsMax: number): Rejection {
  return new Rejection(
    'webhook_limit_reached',
    `A team on the tier ${team.tier} may have ${slotsMax} GraphQL webhooks.`,
  )
}
