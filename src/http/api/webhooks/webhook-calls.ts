import type { Tier } from '../../../core/billing/plan.ts'
import type { Webhook } from '../../../core/delivery/webhook.ts'
import { assert, Rejection } from '../../../core/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Entropy } from '../../../ports/entropy.ts'
import { type Secrets, signingKeyPlace } from '../../../ports/secrets.ts'
import { teamSlotsTaken } from '../../../tables/accounts/team-slots.ts'
import * as webhooks from '../../../tables/webhooks/webhooks.ts'
import type { GraphqlQuery, WireWebhook, WireWebhookChange } from '../../contract/contract.ts'
import type { Handler, TeamCaller } from '../calls/handler.ts'
import { variableKindRefusal } from '../queries/variable-kind.ts'
import { type CheckedQuery, type CheckNeeds, checkWebhook } from './check-webhook.ts'

export type WebhookCallNeeds = CheckNeeds & {
  clock: Clock
  entropy: Entropy
  secrets: Secrets
  tiers: ReadonlyMap<string, Tier>
  publicUrl: string
  /** Tells followers and couriers at once; without it they would find out by polling. */
  webhooksChanged(webhookId?: string): void
}

type WebhookReply = { data: WireWebhook }

/** 36^16, about 2^82: no two will ever meet. */
const ID_LENGTH = 16

/** 36^24, about 2^124, cannot be guessed. */
const KEY_LENGTH = 24

/** After a rotation the old key signs this long too, until every receiver has the new one. */
export const KEY_OVERLAP_MS = 24 * 3_600_000

export const createWebhook: Handler<'createWebhook', WebhookCallNeeds> = async (needs, call) => {
  const asked = call.body
  const { network, webhook_url: url, app_id: appId = null } = asked
  const { query, skip_empty_messages = false } = queryParts(asked.graphql_query)
  const slotsMax = needs.tiers.get(call.team.tier)?.webhooksMax ?? 0
  const taken = await teamSlotsTaken(needs.database, call.team.id)
  if (taken >= slotsMax) return limitReached(call, slotsMax)

  const checked = await checkWebhook(needs, call.team.id, { network, query, url, appId })
  if (checked instanceof Rejection) return checked
  assert(checked !== null, 'a new webhook has a query')

  const webhook: Webhook = {
    id: `wh_${needs.entropy.alphanumeric(ID_LENGTH)}`,
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
    createdAtMs: needs.clock.nowMs(),
  }
  const key = newSigningKey(needs)
  const keySealed = needs.secrets.seal(key, signingKeyPlace(webhook.id))
  const created = await webhooks.createWebhook(needs.database, webhook, keySealed, slotsMax, {
    variables: checked.variables,
    rules: rulesNow(needs),
  })
  if (created.kind === 'no_slot') return limitReached(call, slotsMax)
  if (created.kind === 'other_kind') return variableKindRefusal(created.variable)
  assert(created.kind === 'written', 'what is created is written')

  needs.webhooksChanged(webhook.id)
  return { data: wireWebhook(created.stored, key, null) }
}

export const listWebhooks: Handler<'listWebhooks', WebhookCallNeeds> = async (needs, call) => {
  const found = await webhooks.listWebhooks(needs.database, call.team.id)
  return { data: found.map((stored) => webhookOf(needs, stored)) }
}

export const updateWebhook: Handler<'updateWebhook', WebhookCallNeeds> = async (needs, call) => {
  const asked = call.body
  const { webhook_id: id } = asked
  if (Object.keys(asked).length === 1) return nothingToChange()

  const found = await toChange(needs, call, id, asked)
  if (found instanceof Rejection) return found

  const { network } = found.webhook
  const { query } = queryParts<Partial<GraphqlQuery>>(asked.graphql_query ?? {})
  const { webhook_url: url } = asked
  const given = {
    network,
    ...(query !== undefined && { query }),
    ...(url !== undefined && { url }),
  }
  const checked = await checkWebhook(needs, call.team.id, given)
  if (checked instanceof Rejection) return checked

  return changed(needs, call, id, changeOf(asked, checked))
}

export const deleteWebhook: Handler<'deleteWebhook', WebhookCallNeeds> = async (needs, call) => {
  const id = call.parameters.webhook_id
  const deleted = await webhooks.deleteWebhook(needs.database, call.team.id, id)
  if (!deleted) return noSuchWebhook(id)

  needs.webhooksChanged(id)
  return {}
}

export const getWebhookQuery: Handler<'getWebhookQuery', WebhookCallNeeds> = async (
  needs,
  call,
) => {
  const id = call.parameters.webhook_id
  const found = await webhooks.findWebhook(needs.database, call.team.id, id)
  if (!found) return noSuchWebhook(id)
  return { data: { webhook_id: id, graphql_query: found.webhook.query } }
}

export const rotateSigningKey: Handler<'rotateSigningKey', WebhookCallNeeds> = async (
  needs,
  call,
) => {
  const { webhook_id: id, prepare = false } = call.body
  const found = await toChange(needs, call, id)
  if (found instanceof Rejection) return found

  const sealed = needs.secrets.seal(newSigningKey(needs), signingKeyPlace(id))
  if (prepare) return changed(needs, call, id, { nextKeySealed: sealed })
  const previousUntilMs = needs.clock.nowMs() + KEY_OVERLAP_MS
  return changed(needs, call, id, { newKey: { sealed, previousUntilMs } })
}

/** Refuses a webhook that does not exist, or is another team's: the caller cannot tell. */
export function noSuchWebhook(id: string): Rejection {
  return new Rejection('not_found', `This team has no webhook ${id}.`)
}

/** The webhook before a change, which makes followers compile its query anew if it is active. */
async function toChange(
  { database, queries }: WebhookCallNeeds,
  { team }: TeamCaller,
  id: string,
  asked: Partial<WireWebhookChange> = {},
): Promise<webhooks.StoredWebhook | Rejection> {
  const found = await webhooks.findWebhook(database, team.id, id)
  if (!found) return noSuchWebhook(id)

  // A new query is counted where it is compiled, and a paused one is not run.
  const { query } = queryParts<Partial<GraphqlQuery>>(asked.graphql_query ?? {})
  const isCounted = query !== undefined || asked.is_active === false
  const refused = isCounted ? null : queries.count(team.id, found.webhook.query)
  return refused ?? found
}

async function changed(
  needs: WebhookCallNeeds,
  call: TeamCaller,
  id: string,
  change: webhooks.WebhookChange,
): Promise<WebhookReply | Rejection> {
  const rules = rulesNow(needs)
  const written = await webhooks.changeWebhook(needs.database, call.team.id, id, change, rules)
  if (written.kind === 'other_kind') return variableKindRefusal(written.variable)
  if (written.kind !== 'written') return noSuchWebhook(id)

  needs.webhooksChanged(id)
  return { data: webhookOf(needs, written.stored) }
}

function rulesNow({ tiers, publicUrl, clock }: WebhookCallNeeds): webhooks.StandingRules {
  return { tiers, publicUrl, nowMs: clock.nowMs() }
}

function changeOf(asked: WireWebhookChange, query: CheckedQuery | null): webhooks.WebhookChange {
  const { name, webhook_url: url, ordered, notify_removed: notifyRemoved, is_active } = asked
  const given: string | Partial<GraphqlQuery> = asked.graphql_query ?? {}
  const { skip_empty_messages: skipEmpty } = queryParts(given)
  return {
    ...(name !== undefined && { name }),
    ...(url !== undefined && { url }),
    ...query,
    ...(skipEmpty !== undefined && { skipEmpty }),
    ...(ordered !== undefined && { ordered }),
    ...(notifyRemoved !== undefined && { notifyRemoved }),
    ...(is_active !== undefined && { standing: standingOf(is_active) }),
  }
}

function standingOf(isActive: boolean): NonNullable<webhooks.WebhookChange['standing']> {
  if (isActive) return { state: 'active', reason: null }
  return { state: 'paused', reason: 'MANUAL' }
}

/** The query may be given as its text alone. */
function queryParts<Parts extends Partial<GraphqlQuery>>(given: string | Parts) {
  return typeof given === 'string' ? ({ query: given } as Parts) : given
}

function newSigningKey({ entropy }: WebhookCallNeeds): string {
  return `whsec_${entropy.alphanumeric(KEY_LENGTH)}`
}

function limitReached({ team }: TeamCaller, slotsMax: number): Rejection {
  return new Rejection(
    'webhook_limit_reached',
    `A team on the tier ${team.tier} may have ${slotsMax} GraphQL webhooks.`,
  )
}

function nothingToChange(): Rejection {
  return new Rejection(
    'validation',
    'Nothing is to be changed: give is_active, name, webhook_url, graphql_query, ordered or ' +
      'notify_removed beside webhook_id.',
  )
}

function webhookOf(
  { secrets }: WebhookCallNeeds,
  { webhook, key, nextKeySealed }: webhooks.StoredWebhook,
): WireWebhook {
  const place = signingKeyPlace(webhook.id)
  const nextKey = nextKeySealed === null ? null : secrets.open(nextKeySealed, place)
  return wireWebhook(webhook, secrets.open(key.sealed, place), nextKey)
}

function wireWebhook(webhook: Webhook, signingKey: string, nextKey: string | null): WireWebhook {
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
