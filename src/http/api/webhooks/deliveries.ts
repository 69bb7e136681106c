import { dataBody, errorBody } from '../../../core/delivery/envelope.ts'
import { Rejection } from '../../../core/errors.ts'
import type { AttemptFacts } from '../../../tables/deliveries/attempt-facts.ts'
import type { DeliveryKey } from '../../../tables/deliveries/delivery.ts'
import * as log from '../../../tables/deliveries/log/delivery-page.ts'
import { searchDeliveries } from '../../../tables/deliveries/log/search-deliveries.ts'
import { resendDelivery as resend } from '../../../tables/deliveries/resend-delivery.ts'
import type { WireAttempt } from '../../contract/contract.ts'
import { noSuch } from '../acting-team.ts'
import type { Handler } from '../calls/handler.ts'
import { RESENT_TOPIC } from '../events/event-hub.ts'
import { momentMs } from '../figures/read-range.ts'
import { sentHeaders } from './sent-headers.ts'
import { wireDelivery, wireFault } from './wire-delivery.ts'

export const listDeliveries: Handler<'listDeliveries'> = async (api, call) => {
  const asked = call.parameters
  const fromMs = asked.after === undefined ? undefined : momentMs(asked.after)
  const beforeMs = asked.before === undefined ? undefined : momentMs(asked.before)
  if (Number.isNaN(fromMs)) return new Rejection('validation', 'after is not a moment in time.')
  if (Number.isNaN(beforeMs)) return new Rejection('validation', 'before is not a moment in time.')

  const search = {
    webhookId: asked.webhook_id,
    status: asked.status,
    block: asked.block,
    attemptsMin: asked.attempts_min,
    isRerun: asked.rerun === undefined ? undefined : asked.rerun === 'true',
    fromMs,
    beforeMs,
    after: asked.cursor === undefined ? undefined : cursorOf(asked.cursor),
    limit: asked.limit,
  }
  const { deliveries, next } = await searchDeliveries(api.database, call.team.id, search)
  const cursors = next ? { after: `${next.event}-${next.webhook}` } : {}
  return { data: deliveries.map(wireDelivery), pagination: { cursors } }
}

export const resendDelivery: Handler<'resendDelivery'> = async (api, call) => {
  const { database, clock } = api
  const { id } = call.parameters
  const outcome = await resend(database, call.team.id, id, clock.nowMs())
  if (outcome === 'gone') {
    return new Rejection('validation', `The webhook of ${id} was deleted.`)
  }
  if (outcome === 'waiting') {
    return new Rejection('validation', `${id} still waits to be sent.`)
  }

  const found = await log.findDeliveryWithAttempts(database, call.team.id, id)
  if (outcome === 'not_found' || !found) return noSuch(`delivery ${call.parameters.id}`)

  api.webhooksChanged(found.webhookId)
  api.signals.publish(RESENT_TOPIC, `${call.team.id} ${found.event} ${found.webhook}`)
  return { data: wireDelivery(found) }
}

/** The schema has seen to its form. */
function cursorOf(text: string): DeliveryKey {
  const [event, webhook] = text.split('-')
  return { event: Number(event), webhook: Number(webhook) }
}

export const getDelivery: Handler<'getDelivery'> = async (api, call) => {
  const { sign } = call.parameters
  const found = await log.findDeliveryWithAttempts(api.database, call.team.id, call.parameters.id)
  if (!found) return noSuch(`delivery ${call.parameters.id}`)
  const body = bodyOf(found)
  const lastMs = found.attempts.at(-1)?.startedAtMs
  const signedAtMs = sign === 'now' ? api.clock.nowMs() : lastMs
  return {
    data: {
      ...wireDelivery(found),
      body,
      headers: await sentHeaders(api, found, body, signedAtMs),
      attempts: found.attempts.map(wireAttempt),
    },
  }
}

/** The body exactly as it is sent; null when the log does not hold it any more. */
function bodyOf(delivery: log.DeliveryWithAttempts): string | null {
  const { id: deliveryId, webhookId, createdAtMs, error, result, sequenceNumber } = delivery
  const common = { webhookId, deliveryId, createdAtMs }
  if (error !== null) return errorBody({ ...common, message: error })
  if (result === null || sequenceNumber === null) return null
  const { network } = delivery
  const { truncation } = result
  return dataBody({ ...common, network, sequenceNumber, truncation }, result.data)
}

function wireAttempt(attempt: AttemptFacts): WireAttempt {
  return {
    time_started: attempt.startedAtMs,
    status_code: attempt.status,
    fault: wireFault(attempt.fault),
    ms: attempt.ms,
    response_start: attempt.bodyStart,
    address: attempt.address,
    queue: attempt.queue,
  }
}
