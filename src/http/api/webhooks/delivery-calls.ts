import { dataBody, errorBody } from '../../../core/delivery/envelope.ts'
import { Rejection } from '../../../core/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Database } from '../../../ports/database.ts'
import type { AttemptFacts } from '../../../tables/deliveries/attempt-facts.ts'
import type { DeliveryKey, LoggedDelivery } from '../../../tables/deliveries/delivery.ts'
import * as log from '../../../tables/deliveries/log/delivery-page.ts'
import { resendDelivery as resend } from '../../../tables/deliveries/resend-delivery.ts'
import type { WireAttempt, WireDelivery } from '../../contract/contract.ts'
import type { Handler } from '../calls/handler.ts'

export type DeliveryCallNeeds = {
  database: Database
  clock: Clock
  /** Tells couriers at once; without it they would find out by polling. */
  webhooksChanged(webhookId?: string): void
}

export const listDeliveries: Handler<'listDeliveries', DeliveryCallNeeds> = async (needs, call) => {
  const { webhook_id, status, block, cursor, limit } = call.parameters
  // One more than asked for tells whether there is another page.
  const found = await log.listDeliveryPage(needs.database, call.team.id, {
    webhookId: webhook_id,
    status,
    block,
    after: cursor === undefined ? undefined : cursorOf(cursor),
    limit: limit + 1,
  })

  const page = found.slice(0, limit)
  const last = found.length > page.length ? page.at(-1) : undefined
  const cursors = last ? { after: `${last.event}-${last.webhook}` } : {}
  return { data: page.map(wireDelivery), pagination: { cursors } }
}

export const getDelivery: Handler<'getDelivery', DeliveryCallNeeds> = async (needs, call) => {
  const found = await log.findDeliveryWithAttempts(needs.database, call.team.id, call.parameters.id)
  if (!found) return noSuchDelivery(call.parameters.id)
  return {
    data: {
      ...wireDelivery(found),
      body: bodyOf(found),
      attempts: found.attempts.map(wireAttempt),
    },
  }
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
  return { data: wireDelivery(found) }
}

/** The schema has seen to its form. */
function cursorOf(text: string): DeliveryKey {
  const [event, webhook] = text.split('-')
  return { event: Number(event), webhook: Number(webhook) }
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

function wireDelivery(delivery: LoggedDelivery): WireDelivery {
  return {
    id: delivery.id,
    webhook_id: delivery.webhookId,
    network: delivery.network,
    kind: delivery.kind,
    status: delivery.state,
    sequence_number: delivery.sequenceNumber?.toString() ?? null,
    block_number: delivery.blockNumber,
    block_hash: delivery.blockHash,
    replay: delivery.replay,
    attempts_made: delivery.attemptsMade,
    bytes: delivery.bodyBytes,
    time_created: delivery.createdAtMs,
    time_due: delivery.dueAtMs,
    time_done: delivery.doneAtMs,
  }
}

function wireAttempt(attempt: AttemptFacts): WireAttempt {
  return {
    time_started: attempt.startedAtMs,
    status_code: attempt.status,
    // The owner of a name could otherwise learn which names an inner network has.
    fault: attempt.fault === 'refused_address' ? 'dns' : attempt.fault,
    ms: attempt.ms,
    response_start: attempt.bodyStart,
    address: attempt.address,
    queue: attempt.queue,
  }
}

function noSuchDelivery(id: string): Rejection {
  return new Rejection('not_found', `This team has no delivery ${id}.`)
}
