import type { Contract } from '../contract/contract.ts'
import * as apps from './calls/app-calls.ts'
import type { Handler } from './calls/handler.ts'
import * as jwtKeys from './calls/jwt-key-calls.ts'
import * as teams from './calls/team-calls.ts'
import * as tokens from './calls/token-calls.ts'
import { streamEvents } from './events/stream-events.ts'
import * as callStats from './figures/call-stats-calls.ts'
import * as usage from './figures/get-usage.ts'
import { listNetworks } from './figures/list-networks.ts'
import * as local from './local-calls.ts'
import { checkQuery } from './queries/check-query.ts'
import { estimateQuery } from './queries/estimate-query.ts'
import { getQuerySchema, testQuery } from './queries/test-query.ts'
import * as sessions from './sessions/session-calls.ts'
import * as deliveries from './webhooks/deliveries.ts'
import { getWebhookStats } from './webhooks/get-webhook-stats.ts'
import * as replays from './webhooks/replays.ts'
import { testWebhook } from './webhooks/test-webhook.ts'
import * as variables from './webhooks/variable-calls.ts'
import * as webhooks from './webhooks/webhook-calls.ts'

/** Each operation has its handler, and no other can take its place: else this does not compile. */
type CallHandlers = { readonly [Id in keyof Contract]: Handler<Id> }

/** The modules that are spread have handlers only, under the ids of their operations. */
export const CALL_HANDLERS: CallHandlers = {
  ...apps,
  ...jwtKeys,
  ...teams,
  ...tokens,
  ...sessions,
  ...webhooks,
  checkQuery,
  estimateQuery,
  testQuery,
  getQuerySchema,
  testWebhook,
  ...variables,
  ...deliveries,
  ...replays,
  getWebhookStats,
  streamEvents,
  ...callStats,
  ...usage,
  listNetworks,
  ...local,
  getOpenApi: (api, { visitor }) => api.openApi(visitor.headers),
}
