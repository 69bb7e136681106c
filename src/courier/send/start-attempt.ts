import { dataBody, errorBody } from '../../core/delivery/envelope.ts'
import { noteOutcome } from '../../core/delivery/host-health.ts'
import { deliveryHeaders } from '../../core/delivery/signature.ts'
import type { Egress, EgressOutcome } from '../../ports/egress.ts'
import type { World } from '../../ports/world.ts'
import type { KnownNumbers } from '../../tables/chain/known-numbers.ts'
import type { StoredResult } from '../../tables/deliveries/results.ts'
import type { AttemptOutcome } from '../../tables/deliveries/settle-deliveries.ts'
import { releaseSlot } from '../schedule/allocate-slots.ts'
import { isScheduled, type Schedule } from '../schedule/schedule.ts'
import { pauseNow, started } from '../schedule/webhook-queue.ts'
import type { WebhookSettings } from '../schedule/webhook-settings.ts'
import { attemptOutcome, failureOf, resultMissing, type SendAttempt } from './attempt-outcome.ts'
import type { DeliveryNotes } from './delivery-notes.ts'
import type { ResultCache } from './result-cache.ts'

export type DeliverySending = {
  world: World
  egress: Egress
  settings: { timeoutMs: number; retryDelaysMs: readonly number[] }
  schedule: Schedule
  notes: DeliveryNotes
  known: Pick<KnownNumbers, 'note'>
  results: ResultCache
  webhookSettings: WebhookSettings
  /** The shards are ours for longer than an attempt takes, and nobody stops us. */
  maySend(): boolean
  finished(attempt: SendAttempt, outcome: AttemptOutcome): void
  freed(): void
}

/**
 * One attempt. Hot path: no promise but the one of the post itself, and nothing waits for the
 * store here. The slot is free as soon as the answer is there; the outcome is committed with
 * many others.
 */
export function startAttempt(
  sending: DeliverySending,
  attempt: SendAttempt,
  result: StoredResult | null,
): void {
  const { world, egress, settings } = sending
  const { clock } = world
  const { delivery, webhook } = attempt
  const { keys, previousKeyUntilMs, webhook: stored } = attempt.settings
  started(webhook.queue, delivery)
  const { network, sequenceNumber, event } = delivery
  if (sequenceNumber !== null) sending.known.note(network, sequenceNumber, event)
  const startedAtMs = clock.nowMs()
  const body = bodyOf(attempt, result)
  if (body === null) {
    releaseSlot(sending.schedule, attempt)
    sending.finished(attempt, resultMissing(attempt, startedAtMs))
    sending.freed()
    return
  }

  const startedMs = clock.monotonicMs()
  const [current, previous] = keys
  const isRotating = previous !== undefined && startedAtMs < previousKeyUntilMs
  const headers = deliveryHeaders({
    keys: isRotating ? [current, previous] : [current],
    deliveryId: delivery.id,
    timestampS: Math.floor(startedAtMs / 1000),
    body,
    previousSequence: delivery.previousSequence,
    replay: delivery.replay,
    isVerified: result?.isVerified === true,
  })
  const { timeoutMs } = settings
  egress
    .post({ url: stored.url, teamId: stored.teamId, body, headers, timeoutMs })
    .then((answer) => {
      const bodyBytes = bytesOf(body, attempt.delivery, result)
      conclude(sending, attempt, answer, { bodyBytes, startedAtMs, startedMs })
    })
}

/**
 * The length of a body as it was sent. Hot path: the bytes of a result are known, and all that
 * stands around one that is whole is ASCII.
 */
function bytesOf(
  body: string,
  { kind, dataBytes }: SendAttempt['delivery'],
  result: StoredResult | null,
): number {
  if (kind === 'error' || !result || result.truncation) return Buffer.byteLength(body)
  return dataBytes + body.length - result.data.length
}

/** Null when the result is not there, which nothing but damage to the store explains. */
function bodyOf({ delivery }: SendAttempt, result: StoredResult | null): string | null {
  const { id: deliveryId, webhookId, createdAtMs, network, sequenceNumber } = delivery
  const envelope = { webhookId, deliveryId, createdAtMs }
  if (delivery.kind === 'error') return errorBody({ ...envelope, message: delivery.error ?? '' })
  if (sequenceNumber === null || result === null) return null
  const { truncation, data } = result
  return dataBody({ ...envelope, network, sequenceNumber, truncation }, data)
}

function conclude(
  sending: DeliverySending,
  attempt: SendAttempt,
  answer: EgressOutcome,
  begun: { bodyBytes: number; startedAtMs: number; startedMs: number },
): void {
  const { world, schedule, notes, settings } = sending
  const { clock, entropy } = world
  const { host, webhook } = attempt
  const { status, fault } = answer
  const { bodyBytes, startedAtMs, startedMs } = begun
  noteOutcome(host.health, { status, fault, startedAtMs: startedMs }, clock.monotonicMs())
  // An address that is refused says nothing about the host, which was not asked.
  if (fault !== 'refused_address') host.isProven = fault === null
  releaseSlot(schedule, attempt)

  const end = { answer, bodyBytes, startedAtMs, endedAtMs: clock.nowMs() }
  const failure = failureOf(entropy, settings.retryDelaysMs, attempt, end)
  notes.attempt(attempt, end, failure?.kind ?? 'delivered')
  // Nothing is written for a webhook that was another courier's meanwhile: it sends this too.
  if (isScheduled(schedule, webhook)) {
    const outcome = attemptOutcome(attempt, end, failure)
    // Nothing more goes there, not even until that is committed.
    if (outcome.gone) pauseNow(webhook.queue)
    sending.finished(attempt, outcome)
  }
  sending.freed()
}
