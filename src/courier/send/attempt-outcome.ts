import { deliveryPriceCentiCu } from '../../core/delivery/delivery-price.ts'
import {
  isAccepted,
  type RetryDecision,
  scheduleRetry,
} from '../../core/delivery/retry-schedule.ts'
import type { EgressOutcome } from '../../ports/egress.ts'
import type { Entropy } from '../../ports/entropy.ts'
import type { Delivery } from '../../tables/deliveries/delivery.ts'
import type { AttemptOutcome } from '../../tables/deliveries/settle-deliveries.ts'
import type { Slot } from '../schedule/allocate-slots.ts'
import type { SendSettings } from '../schedule/schedule.ts'

export type SendAttempt = Slot & { delivery: Delivery; settings: SendSettings }

export type AttemptEnd = {
  answer: EgressOutcome
  bodyBytes: number
  startedAtMs: number
  endedAtMs: number
}

/** Null when the delivery was accepted. */
export function failureOf(
  entropy: Entropy,
  retryDelaysMs: readonly number[],
  { delivery }: SendAttempt,
  { answer, endedAtMs }: AttemptEnd,
): RetryDecision | null {
  const answered = answer.fault === null ? answer.status : null
  if (isAccepted(answered)) return null
  return scheduleRetry({
    attemptsMade: delivery.attemptsMade + 1,
    delaysMs: retryDelaysMs,
    fraction: entropy.fraction(),
    status: answered,
    retryAfter: answer.retryAfter,
    nowMs: endedAtMs,
  })
}

export function attemptOutcome(
  attempt: SendAttempt,
  { answer, bodyBytes, startedAtMs, endedAtMs }: AttemptEnd,
  failure: RetryDecision | null,
): AttemptOutcome {
  const { delivery, lane, settings } = attempt
  const { teamId, appId, network, id, url } = settings.webhook
  const { status, fault, ms, bodyStart, address } = answer
  // Errors cost nothing.
  const isBilled = failure === null && delivery.kind === 'data'
  const centiCu = deliveryPriceCentiCu(bodyBytes)
  return {
    event: delivery.event,
    webhook: delivery.webhook,
    version: delivery.version,
    attemptsMade: delivery.attemptsMade,
    teamId,
    dataBytes: delivery.kind === 'data' ? delivery.dataBytes : null,
    next: nextOf(delivery, failure, endedAtMs),
    attempt: { startedAtMs, status, fault, ms, bodyStart, address, queue: lane },
    bodyBytes,
    bill: isBilled ? { teamId, appId, network, centiCu, bytes: bodyBytes } : null,
    gone: failure?.kind === 'gone' && delivery.kind === 'data' ? { teamId, id, url } : null,
  }
}

/** There was nothing to send: it stays in the log as failed, for somebody to look at. */
export function resultMissing(attempt: SendAttempt, nowMs: number): AttemptOutcome {
  const ms = { lookup: 0, connect: 0, tls: 0, answer: 0, total: 0 }
  const answer = { status: null, fault: null, retryAfter: null, bodyStart: '', address: null, ms }
  const end = { answer, bodyBytes: 0, startedAtMs: nowMs, endedAtMs: nowMs }
  const outcome = attemptOutcome(attempt, end, { kind: 'give_up' })
  return { ...outcome, attempt: { ...outcome.attempt, fault: 'result_missing' } }
}

function nextOf(
  { kind }: Delivery,
  failure: RetryDecision | null,
  nowMs: number,
): AttemptOutcome['next'] {
  if (failure === null) return { kind: 'delivered' }
  if (failure.kind === 'retry') return failure
  // It stays for whoever unpauses the webhook. An error goes out although the webhook is paused,
  // so it would be refused again and again.
  if (failure.kind === 'gone' && kind === 'data') return { kind: 'retry', dueAtMs: nowMs }
  return { kind: 'failed' }
}
