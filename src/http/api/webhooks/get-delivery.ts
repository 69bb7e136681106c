import { dataBody, errorBody } from '../../../core/delivery/envelope.ts'
import { Rejection } from '../../../core/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { AttemptFacts } from '../../../tables/deliveries/attempt-facts.ts'
import * as log from '../../../tables/deliveries/log/delivery-page.ts'
import type { WireAttempt } from '../../contract/contract.ts'
import type { Handler } from '../calls/handler.ts'
import { type SentHeadersNeeds, sentHeaders } from './sent-headers.ts'
import { wireDelivery, wireFault } from './wire-delivery.ts'

type GetDeliveryNeeds = SentHeadersNeeds & { clock: Clock }

/** One delivery with its body, its headers and its attempts. */
export const getDelivery: Handler<'getDelivery', GetDeliveryNeeds> = async (needs, call) => {
  const { sign } = call.parameters
  const found = await log.findDeliveryWithAttempts(needs.database, call.team.id, call.parameters.id)
  if (!found) return noSuchDelivery(call.parameters.id)
  const body = bodyOf(found)
  const lastMs = found.attempts.at(-1)?.startedAtMs
  const signedAtMs = sign === 'now' ? needs.clock.nowMs() : lastMs
  return {
    data: {
      ...wireDelivery(found),
      body,
      headers: await sentHeaders(needs, found, body, signedAtMs),
      attempts: found.attempts.map(wireAttempt),
    },
  }
}

export function noSuchDelivery(id: string): Rejection {
  return new Rejection('not_found', `This team has no delivery ${id}.`)
}

/** The body exactly as it is sent; null when the log does not hold it any more. */
function bodyOf(delivery: log.DeliveryWithAttempts): string | null {
  const {
    id: deliveryId,
    webhookId,
    createdAtMs,
    error,
    network,
    result,
    sequenceNumber,
  } = delivery
  if (error !== null) return errorBody({ webhookId, deliveryId, createdAtMs, message: error })
  if (result === null || sequenceNumber === null) return null
  const { truncation } = result
  const envelope = { webhookId, deliveryId, createdAtMs, network, sequenceNumber, truncation }
  return dataBody(envelope, result.data)
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
