import type { NetworkReport } from '../contract/contract.ts'
import type { CachedReply } from '../edge/cached-reply.ts'
import type { PublicCall, TeamCall, TokenCall } from './api-call.ts'
import * as apps from './app-calls.ts'
import * as queries from './queries/query-calls.ts'
import * as teams from './team-calls.ts'
import * as usage from './usage-calls.ts'
import * as deliveries from './webhooks/delivery-calls.ts'
import * as replays from './webhooks/replay-calls.ts'
import * as tests from './webhooks/test-webhook-call.ts'
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
    /** How the networks and their upstreams are right now. */
    networkReport(): readonly NetworkReport[]
  }

/** Answers with what becomes the JSON, with a response that is ready, or with a rejection. */
type Handler<Call> = (needs: CallNeeds, call: Call) => Promise<unknown>

/** One handler for each operation id of the document, by whose token the call asks for. */
export type CallHandlers = {
  team: Readonly<Record<string, Handler<TeamCall>>>
  operator: Readonly<Record<string, Handler<TokenCall>>>
  'any-token': Readonly<Record<string, Handler<TokenCall>>>
  public: Readonly<Record<string, Handler<PublicCall>>>
}

export const CALL_HANDLERS: CallHandlers = {
  team: {
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
    getUsageSummary: usage.getUsageSummary,
    getUsageSeries: usage.getUsageSeries,
  },
  operator: {
    listTeams: teams.listTeams,
    createTeam: teams.createTeam,
    listTokens: teams.listTokens,
    createToken: teams.createToken,
    deleteToken: teams.deleteToken,
  },
  'any-token': {
    getQuerySchema: queries.getQuerySchema,
    listNetworks: async (needs) => ({ data: needs.networkReport() }),
  },
  public: {
    getOpenApi: (needs, { headers }) => needs.openApi(headers),
  },
}
