import { Rejection } from '../../../core/errors.ts'
import { signingKeyPlace } from '../../../ports/secrets.ts'
import * as webhooks from '../../../tables/webhooks/webhooks.ts'
import type { GraphqlQuery, WireWebhookChange } from '../../contract/contract.ts'
import { noSuch } from '../acting-team.ts'
import type { Handler, TeamCaller } from '../calls/handler.ts'
import { refuseIfChanged } from '../calls/refuse-if-changed.ts'
import type { ManagementApi } from '../management-api.ts'
import { variableKindRefusal } from '../queries/asked-query.ts'
import { checkWebhook } from './check-webhook.ts'
import { createWebhook } from './create-webhook.ts'
import {
  KEY_OVERLAP_MS,
  newSigningKey,
  queryParts,
  rulesNow,
  type WebhookReply,
  webhookOf,
} from './webhook-call-parts.ts'

export { createWebhook }

const NOTHING_TO_CHANGE =
  'Nothing is to be changed: give is_active, name, webhook_url, graphql_query, ordered or ' +
  'notify_removed beside webhook_id.'

export const listWebhooks: Handler<'listWebhooks'> = async (api, call) => {
  const found = await webhooks.listWebhooks(api.database, call.team.id)
  return { data: found.map((stored) => webhookOf(api, stored)) }
}

export const getWebhook: Handler<'getWebhook'> = async (api, call) => {
  const { id } = call.parameters
  const found = await webhooks.findWebhook(api.database, call.team.id, id)
  return found ? { data: webhookOf(api, found) } : noSuch(`webhook ${id}`)
}

export const updateWebhook: Handler<'updateWebhook'> = async (api, call) => {
  const asked = call.body
  const { webhook_id: id, webhook_url: url } = asked
  if (Object.keys(asked).length === 1) return new Rejection('validation', NOTHING_TO_CHANGE)

  const parts = queryParts<Partial<GraphqlQuery>>(asked.graphql_query ?? {})
  const { query, skip_empty_messages: skipEmpty } = parts
  // A new query is counted where it is compiled, and a paused one is not run.
  const isCounted = query !== undefined || asked.is_active === false
  const found = await toChange(api, call, id, isCounted)
  if (found instanceof Rejection) return found

  const given = {
    network: found.webhook.network,
    ...(query !== undefined && { query }),
    ...(url !== undefined && { url }),
  }
  const checked = await checkWebhook(api, call.team.id, given)
  if (checked instanceof Rejection) return checked

  const change = { ...changeOf(asked), ...checked, ...(skipEmpty !== undefined && { skipEmpty }) }
  return changed(api, call, id, change, call.parameters['If-Match'])
}

export const deleteWebhook: Handler<'deleteWebhook'> = async (api, call) => {
  const { webhook_id: id, 'If-Match': ifMatch } = call.parameters
  const guard = guardOf(api, ifMatch)
  const deleted = await webhooks.deleteWebhook(api.database, call.team.id, id, guard)
  if (deleted instanceof Rejection) return deleted
  if (!deleted) return noSuch(`webhook ${id}`)

  api.webhooksChanged(id)
  return {}
}

export const getWebhookQuery: Handler<'getWebhookQuery'> = async (api, call) => {
  const id = call.parameters.webhook_id
  const found = await webhooks.findWebhook(api.database, call.team.id, id)
  if (!found) return noSuch(`webhook ${id}`)
  return { data: { webhook_id: id, graphql_query: found.webhook.query } }
}

export const rotateSigningKey: Handler<'rotateSigningKey'> = async (api, call) => {
  const { webhook_id: id, prepare = false } = call.body
  const found = await toChange(api, call, id)
  if (found instanceof Rejection) return found

  const sealed = api.secrets.seal(newSigningKey(api), signingKeyPlace(id))
  if (prepare) return changed(api, call, id, { nextKeySealed: sealed })
  const previousUntilMs = api.clock.nowMs() + KEY_OVERLAP_MS
  return changed(api, call, id, { newKey: { sealed, previousUntilMs } })
}

/** The webhook before a change, which makes followers compile its query anew if it is active. */
async function toChange(
  { database, limits }: ManagementApi,
  { team }: TeamCaller,
  id: string,
  isCounted = false,
): Promise<webhooks.StoredWebhook | Rejection> {
  const found = await webhooks.findWebhook(database, team.id, id)
  if (!found) return noSuch(`webhook ${id}`)

  const refused = isCounted ? null : limits.queries.count(team.id, found.webhook.query)
  return refused ?? found
}

async function changed(
  api: ManagementApi,
  call: TeamCaller,
  id: string,
  change: webhooks.WebhookChange,
  ifMatch?: string,
): Promise<WebhookReply | Rejection> {
  const rules = rulesNow(api)
  const guard = guardOf(api, ifMatch)
  const { database } = api
  const written = await webhooks.changeWebhook(database, call.team.id, id, change, rules, guard)
  if (written.kind === 'refused') return written.rejection
  if (written.kind === 'other_kind') return variableKindRefusal(written.variable)
  if (written.kind !== 'written') return noSuch(`webhook ${id}`)

  api.webhooksChanged(id)
  return { data: webhookOf(api, written.stored) }
}

function guardOf(api: ManagementApi, ifMatch: string | undefined) {
  return (found: webhooks.StoredWebhook) => {
    return refuseIfChanged(ifMatch, { data: webhookOf(api, found) })
  }
}

function changeOf(asked: WireWebhookChange): webhooks.WebhookChange {
  const { name, webhook_url: url, ordered, notify_removed: notifyRemoved, is_active } = asked
  return {
    ...(name !== undefined && { name }),
    ...(url !== undefined && { url }),
    ...(ordered !== undefined && { ordered }),
    ...(notifyRemoved !== undefined && { notifyRemoved }),
    ...(is_active === true && { standing: { state: 'active', reason: null } as const }),
    ...(is_active === false && { standing: { state: 'paused', reason: 'MANUAL' } as const }),
  }
}
