import { Rejection } from '../../../core/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Signals } from '../../../ports/signals.ts'
import * as log from '../../../tables/deliveries/log/delivery-page.ts'
import { searchDeliveries } from '../../../tables/deliveries/log/search-deliveries.ts'
import { resendDelivery as resend } from '../../../tables/deliveries/resend-delivery.ts'
import type { Handler } from '../calls/handler.ts'
import { RESENT_TOPIC } from '../events/event-hub.ts'
import { deliverySearch } from './delivery-search.ts'
import { getDelivery, noSuchDelivery } from './get-delivery.ts'
import type { SentHeadersNeeds } from './sent-headers.ts'
import { wireDelivery } from './wire-delivery.ts'

export { getDelivery }

export type DeliveryCallNeeds = SentHeadersNeeds & {
  clock: Clock
  signals: Signals
  /** Tells couriers at once; without it they would find out by polling. */
  webhooksChanged(webhookId?: string): void
}

export const listDeliveries: Handler<'listDeliveries', DeliveryCallNeeds> = async (needs, call) => {
  const search = deliverySearch(call.parameters)
  if (search instanceof Rejection) return search

  const { deliveries, next } = await searchDeliveries(needs.database, call.team.id, search)
  const cursors = next ? { after: `${next.event}-${next.webhook}` } : {}
  return { data: deliveries.map(wireDelivery), pagination: { cursors } }
}

export const resendDelivery: Handler<'resendDelivery', DeliveryCallNeeds> = async (needs, call) => {
  const { database, clock } = needs
  const { id } = call.parameters
  const outcome = await resend(database, call.team.id, id, clock.nowMs())
  if (outcome === 'gone') {
    return new Rejection('validation', `The webhook of ${id} was deleted.`)
  }
  if (outcome === 'waiting') {
    return new Rejection('validation', `${id} still waits to be sent.`)
  }

  const found = await log.findDeliveryWithAttempts(database, call.team.id, id)
  if (outcome === 'not_found' || !found) return noSuchDelivery(call.parameters.id)

  needs.webhooksChanged(found.webhookId)
  needs.signals.publish(RESENT_TOPIC, `${call.team.id} ${found.event} ${found.webhook}`)
  return { data: wireDelivery(found) }
}
