import * as deliveries from './delivery-calls.ts'
import * as replays from './replay-calls.ts'

export type DeliveryHandlerNeeds = deliveries.DeliveryCallNeeds & replays.ReplayCallNeeds

/** The log, and what is sent again. */
export const DELIVERY_HANDLERS = {
  listDeliveries: deliveries.listDeliveries,
  getDelivery: deliveries.getDelivery,
  resendDelivery: deliveries.resendDelivery,

  replayWebhook: replays.replayWebhook,
  listReplays: replays.listReplays,
  getReplay: replays.getReplay,
  cancelReplay: replays.cancelReplay,
}
