import type { Contract, NetworkReport } from '../contract/contract.ts'
import type { CachedReply } from '../edge/cached-reply.ts'
import * as apps from './calls/app-calls.ts'
import type { Handler } from './calls/handler.ts'
import * as teams from './calls/team-calls.ts'
import * as usage from './calls/usage-calls.ts'
import * as queries from './queries/test-query.ts'
import * as deliveries from './webhooks/delivery-calls.ts'
import * as replays from './webhooks/replay-calls.ts'
import * as tests from './webhooks/test-webhook.ts'
import * as variables from './webhooks/variable-calls.ts'
import * as webhooks from './webhooks/webhook-calls.ts'

export type CallNeeds = apps.AppCallNeeds &
  deliveries.DeliveryCallNeeds &
  replays.ReplayCallNeeds &
  teams.TeamCallNeeds &
  tests.TestWebhookNeeds &
  usage.UsageCallNeeds &
  variables.VariableCallNeeds &
  webhooks.WebhookCallNeeds & {
    publicUrl: string
    /** The document of this API. */
    openApi: CachedReply
    /** The state of the networks and their upstreams right now. */
    networkReport(): Promise<readonly NetworkReport[]>
  }

/** Each operation has its handler, and no other can take its place: else this does not compile. */
type CallHandlers = { readonly [Id in keyof Contract]: Handler<Id, CallNeeds> }

export const CALL_HANDLERS: CallHandlers = {
  listApps: apps.listApps,
  createApp: apps.createApp,
  getApp: apps.getApp,
  changeApp: apps.changeApp,
  deleteApp: apps.deleteApp,
  rotateAppKey: apps.rotateAppKey,

  createWebhook: webhooks.createWebhook,
  listWebhooks: webhooks.listWebhooks,
  updateWebhook: webhooks.updateWebhook,
  deleteWebhook: webhooks.deleteWebhook,
  getWebhookQuery: webhooks.getWebhookQuery,
  rotateSigningKey: webhooks.rotateSigningKey,

  testQuery: queries.testQuery,
  testWebhook: tests.testWebhook,
  getQuerySchema: queries.getQuerySchema,

  listVariableItems: variables.listVariableItems,
  addVariableItems: variables.addVariableItems,
  changeVariableItems: variables.changeVariableItems,
  deleteVariable: variables.deleteVariable,

  listDeliveries: deliveries.listDeliveries,
  getDelivery: deliveries.getDelivery,
  resendDelivery: deliveries.resendDelivery,

  replayWebhook: replays.replayWebhook,
  listReplays: replays.listReplays,
  getReplay: replays.getReplay,
  cancelReplay: replays.cancelReplay,

  getTeam: teams.getTeam,
  changeTeam: teams.changeTeam,
  listTeams: teams.listTeams,
  createTeam: teams.createTeam,
  listTokens: teams.listTokens,
  createToken: teams.createToken,
  deleteToken: teams.deleteToken,

  getUsageSummary: usage.getUsageSummary,
  getUsageSeries: usage.getUsageSeries,

  listNetworks: async (needs) => ({ data: await needs.networkReport() }),
  getOpenApi: (needs, { headers }) => needs.openApi(headers),
}
