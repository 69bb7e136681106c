import type { Contract } from '../contract/contract.ts'
import type { CachedReply } from '../edge/cached-reply.ts'
import { ACCOUNT_HANDLERS, type AccountCallNeeds } from './calls/account-handlers.ts'
import type { Handler } from './calls/handler.ts'
import { type EventCallNeeds, streamEvents } from './events/event-calls.ts'
import { FIGURE_HANDLERS, type FigureCallNeeds } from './figures/figure-handlers.ts'
import * as local from './local/local-handlers.ts'
import { QUERY_HANDLERS, type QueryHandlerNeeds } from './queries/query-handlers.ts'
import { DELIVERY_HANDLERS, type DeliveryHandlerNeeds } from './webhooks/delivery-handlers.ts'
import { getWebhookStats, type StatsCallNeeds } from './webhooks/stats-calls.ts'
import * as tests from './webhooks/test-webhook.ts'
import * as variables from './webhooks/variable-calls.ts'
import * as webhooks from './webhooks/webhook-calls.ts'

export type CallNeeds = AccountCallNeeds &
  DeliveryHandlerNeeds &
  FigureCallNeeds &
  EventCallNeeds &
  StatsCallNeeds &
  local.LocalCallNeeds &
  QueryHandlerNeeds &
  tests.TestWebhookNeeds &
  variables.VariableCallNeeds &
  webhooks.WebhookCallNeeds & {
    publicUrl: string
    /** The document of this API. */
    openApi: CachedReply
  }

/** Each operation has its handler, and no other can take its place: else this does not compile. */
type CallHandlers = { readonly [Id in keyof Contract]: Handler<Id, CallNeeds> }

export const CALL_HANDLERS: CallHandlers = {
  ...ACCOUNT_HANDLERS,

  createWebhook: webhooks.createWebhook,
  listWebhooks: webhooks.listWebhooks,
  getWebhook: webhooks.getWebhook,
  updateWebhook: webhooks.updateWebhook,
  deleteWebhook: webhooks.deleteWebhook,
  getWebhookQuery: webhooks.getWebhookQuery,
  rotateSigningKey: webhooks.rotateSigningKey,

  ...QUERY_HANDLERS,
  testWebhook: tests.testWebhook,

  listVariables: variables.listVariables,
  listVariableItems: variables.listVariableItems,
  addVariableItems: variables.addVariableItems,
  changeVariableItems: variables.changeVariableItems,
  deleteVariable: variables.deleteVariable,

  ...DELIVERY_HANDLERS,
  getWebhookStats,
  streamEvents,
  ...FIGURE_HANDLERS,
  getDevnet: local.getDevnet,
  mineDevnetBlocks: local.mineDevnetBlocks,
  reorganiseDevnet: local.reorganiseDevnet,
  dropDevnetBlocks: local.dropDevnetBlocks,
  changeDevnet: local.changeDevnet,
  sendDevnetTransaction: local.sendDevnetTransaction,
  listDevnetUpstreams: local.listDevnetUpstreams,
  changeDevnetUpstream: local.changeDevnetUpstream,
  stallDevnet: local.stallDevnet,
  ...local.SOLANA_DEVNET_HANDLERS,
  listInboxes: local.listInboxes,
  listInboxArrivals: local.listInboxArrivals,
  changeInbox: local.changeInbox,
  emptyInbox: local.emptyInbox,

  getOpenApi: (needs, { visitor }) => needs.openApi(visitor.headers),
}
