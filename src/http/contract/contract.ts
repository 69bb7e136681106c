import type { Static } from '../../core/schema/schema.ts'
import * as apps from './accounts/apps.ts'
import * as jwtKeys from './accounts/jwt-keys.ts'
import * as sessions from './accounts/sessions.ts'
import * as teams from './accounts/teams.ts'
import * as deliveries from './deliveries.ts'
import * as events from './events.ts'
import * as devnet from './local/devnet.ts'
import { DEVNET_UPSTREAM_CALLS } from './local/devnet-upstreams.ts'
import * as inboxes from './local/inboxes.ts'
import * as solanaDevnet from './local/solana-devnet.ts'
import * as networks from './networks.ts'
import { json, type Operation, publicCall } from './operation.ts'
import * as queries from './queries.ts'
import * as replays from './replays.ts'
import * as usage from './usage.ts'
import * as stats from './webhook-stats.ts'
import * as webhooks from './webhooks.ts'

/**
 * Every call of the management API by its operation id. The check of requests, the types of
 * handlers and of clients, the OpenAPI document and the reference are all made of this.
 */
export const CONTRACT = {
  ...apps.APP_CALLS,
  ...jwtKeys.JWT_KEY_CALLS,
  ...teams.TEAM_CALLS,
  ...sessions.SESSION_CALLS,
  ...webhooks.WEBHOOK_CALLS,
  ...queries.QUERY_CALLS,
  ...deliveries.DELIVERY_CALLS,
  ...replays.REPLAY_CALLS,
  ...events.EVENT_CALLS,
  ...stats.STATS_CALLS,
  ...usage.USAGE_CALLS,
  ...networks.NETWORK_CALLS,
  ...devnet.DEVNET_CALLS,
  ...DEVNET_UPSTREAM_CALLS,
  ...solanaDevnet.SOLANA_DEVNET_CALLS,
  ...inboxes.INBOX_CALLS,
  getOpenApi: publicCall('GET /api/openapi.json', {
    tag: 'Operating',
    summary: 'This document',
    description: 'The OpenAPI 3.1 document that requests are checked against. No token needed.',
    answer: json('The document.', { type: 'object' }),
  }),
} satisfies Readonly<Record<string, Operation>>

export type Contract = typeof CONTRACT

export type WireApp = Static<typeof apps.APP>
export type WireJwtKey = Static<typeof jwtKeys.JWT_KEY>

export type WireWebhook = Static<typeof webhooks.WEBHOOK>
export type WireWebhookChange = Static<typeof webhooks.WEBHOOK_CHANGE>

export type TestQuery = Static<typeof queries.TEST_QUERY>
export type GraphqlQuery = Exclude<TestQuery['graphql_query'], string>
export type TestQueryResult = Static<typeof queries.TEST_QUERY_RESULT>
export type TestWebhook = Static<typeof queries.TEST_WEBHOOK>
export type TestWebhookAttempt = Static<typeof queries.TEST_WEBHOOK_ATTEMPT>

export type WireDelivery = Static<typeof deliveries.DELIVERY>
export type WireAttempt = Static<typeof deliveries.DELIVERY_ATTEMPT>

export type WireReplay = Static<typeof replays.REPLAY>

export type WireWebhookStats = Static<typeof stats.WEBHOOK_STATS>

export type WireEvents = {
  [Name in keyof typeof events.EVENTS]: Static<(typeof events.EVENTS)[Name]>
}
export type EventTopic = (typeof events.EVENT_TOPICS)[number]

export type WireTeam = Static<typeof teams.TEAM>
export type WireTierLimits = Static<typeof teams.TIER_LIMITS>

export type WireSession = Static<typeof sessions.SESSION>
export type WireListedSession = Static<typeof sessions.LISTED_SESSION>

export type WireUsageSummary = Static<typeof usage.USAGE_SUMMARY>
export type WireUsageTotals = Static<typeof usage.USAGE_TOTALS>
export type WireUsagePoint = Static<typeof usage.USAGE_POINT>

export type NetworkReport = Static<typeof networks.NETWORK>

export type WireDevnet = Static<typeof devnet.DEVNET>
export type WireSolanaDevnet = Static<typeof solanaDevnet.SOLANA_DEVNET>
export type WireInbox = Static<typeof inboxes.INBOX>
export type WireArrival = Static<typeof inboxes.INBOX_ARRIVAL>
