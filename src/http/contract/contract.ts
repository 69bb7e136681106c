import type { Static } from '../../core/schema/schema.ts'
import { ACCOUNT_CALLS, type ACCOUNT_SHAPES } from './accounts/account-calls.ts'
import * as deliveries from './deliveries.ts'
import { LIVE_CALLS, type LIVE_SHAPES } from './live/live-calls.ts'
import * as local from './local/local-calls.ts'
import * as networks from './networks.ts'
import { json, type Operation, publicCall } from './operation.ts'
import * as queries from './queries.ts'
import * as replays from './replays.ts'
import * as usage from './usage.ts'
import * as webhooks from './webhooks.ts'

/**
 * Every call of the management API by its operation id. The check of requests, the types of
 * handlers and of clients, the OpenAPI document and the reference are all made of this.
 */
export const CONTRACT = {
  ...ACCOUNT_CALLS,
  ...webhooks.WEBHOOK_CALLS,
  ...queries.QUERY_CALLS,
  ...deliveries.DELIVERY_CALLS,
  ...replays.REPLAY_CALLS,
  ...LIVE_CALLS,
  ...usage.USAGE_CALLS,
  ...networks.NETWORK_CALLS,
  ...local.LOCAL_CALLS,
  getOpenApi: publicCall('GET /api/openapi.json', {
    tag: 'Operating',
    summary: 'This document',
    description: 'The OpenAPI 3.1 document that requests are checked against. No token needed.',
    answer: json('The document.', { type: 'object' }),
  }),
} satisfies Readonly<Record<string, Operation>>

export type Contract = typeof CONTRACT

export type WireApp = Static<typeof ACCOUNT_SHAPES.app>
export type WireJwtKey = Static<typeof ACCOUNT_SHAPES.jwtKey>

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

export type WireWebhookStats = Static<typeof LIVE_SHAPES.webhookStats>

/** The data of each event of a stream. */
export type WireEvents = {
  [Name in keyof typeof LIVE_SHAPES.events]: Static<(typeof LIVE_SHAPES.events)[Name]>
}
export type EventTopic = (typeof LIVE_SHAPES.topics)[number]

export type WireTeam = Static<typeof ACCOUNT_SHAPES.team>
export type WireTierLimits = Static<typeof ACCOUNT_SHAPES.tierLimits>

export type WireSession = Static<typeof ACCOUNT_SHAPES.session>
export type WireListedSession = Static<typeof ACCOUNT_SHAPES.listedSession>

export type WireUsageSummary = Static<typeof usage.USAGE_SUMMARY>
export type WireUsageTotals = Static<typeof usage.USAGE_TOTALS>
export type WireUsagePoint = Static<typeof usage.USAGE_POINT>

export type NetworkReport = Static<typeof networks.NETWORK>

export type WireDevnet = Static<typeof local.DEVNET>
export type WireSolanaDevnet = Static<typeof local.SOLANA_DEVNET>
export type WireInbox = Static<typeof local.INBOX>
export type WireArrival = Static<typeof local.INBOX_ARRIVAL>
