import type { Static } from '../../core/schema/schema.ts'
import * as apps from './apps.ts'
import * as deliveries from './deliveries.ts'
import * as networks from './networks.ts'
import { json, type Operation, publicCall } from './operation.ts'
import * as queries from './queries.ts'
import * as replays from './replays.ts'
import * as teams from './teams.ts'
import * as usage from './usage.ts'
import { VARIABLE_CALLS } from './variables.ts'
import * as webhooks from './webhooks.ts'

/**
 * Every call of the management API by its operation id. The check of requests, the types of
 * handlers and of clients, the OpenAPI document and the reference are all made of this.
 */
export const CONTRACT = {
  ...apps.APP_CALLS,
  ...webhooks.WEBHOOK_CALLS,
  ...queries.QUERY_CALLS,
  ...VARIABLE_CALLS,
  ...deliveries.DELIVERY_CALLS,
  ...replays.REPLAY_CALLS,
  ...teams.TEAM_CALLS,
  ...usage.USAGE_CALLS,
  ...networks.NETWORK_CALLS,
  getOpenApi: publicCall('GET /api/openapi.json', {
    tag: 'Operating',
    summary: 'This document',
    description: 'The OpenAPI 3.1 document that requests are checked against. No token needed.',
    answer: json('The document.', { type: 'object' }),
  }),
} satisfies Readonly<Record<string, Operation>>

export type Contract = typeof CONTRACT

export type WireApp = Static<typeof apps.APP>

export type WireWebhook = Static<typeof webhooks.WEBHOOK>
export type WireWebhookChange = Static<typeof webhooks.WEBHOOK_CHANGE>

export type GraphqlQuery = Static<typeof queries.GRAPHQL_QUERY>
export type TestQuery = Static<typeof queries.TEST_QUERY>
export type TestQueryResult = Static<typeof queries.TEST_QUERY_RESULT>
export type TestWebhook = Static<typeof queries.TEST_WEBHOOK>
export type TestWebhookAttempt = Static<typeof queries.TEST_WEBHOOK_ATTEMPT>

export type WireDelivery = Static<typeof deliveries.DELIVERY>
export type WireAttempt = Static<typeof deliveries.DELIVERY_ATTEMPT>

export type WireReplay = Static<typeof replays.REPLAY>

export type WireTeam = Static<typeof teams.TEAM>
export type WireTierLimits = Static<typeof teams.TIER_LIMITS>

export type WireUsageTotals = Static<typeof usage.USAGE_TOTALS>
export type WireUsagePoint = Static<typeof usage.USAGE_POINT>

export type NetworkReport = Static<typeof networks.NETWORK>
