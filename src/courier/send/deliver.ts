import { deliveryCentiCu } from '../../core/delivery/delivery-price.ts'
import { noteOutcome } from '../../core/delivery/host-health.ts'
import {
  type AfterFailure,
  afterFailedAttempt,
  isAccepted,
} from '../../core/delivery/retry-schedule.ts'
import { deliveryHeaders } from '../../core/delivery/signature.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Egress, EgressOutcome } from '../../ports/egress.ts'
import type { Entropy } from '../../ports/entropy.ts'
import type { AttemptOutcome, OpenPlace } from '../../tables/deliveries/delivery-outcomes.ts'
import { leavePlace } from '../schedule/pick-turns.ts'
import { forgetAhead, type Schedule } from '../schedule/schedule.ts'
import type { DeliveryNotes } from './delivery-notes.ts'
import type { Parcel } from './parcel.ts'

export type DeliverNeeds = {
  clock: Clock
  egress: Egress
  entropy: Entropy
  settings: { timeoutMs: number; retryDelaysMs: readonly number[] }
  schedule: Schedule
  notes: DeliveryNotes
  /** The outcome is to be committed. */
  finished(outcome: AttemptOutcome): void
  /** A place is free. */
  freed(): void
  /** The destination said 410: pauses the webhook before the outcome is committed. */
  gone(parcel: Parcel, outcome: AttemptOutcome): void
}

/**
 * One attempt. Hot path: no promise but the one of the post itself, and nothing waits for the
 * store here. The place is free as soon as the answer is there; the outcome is committed with
 * many others.
 */
export function deliver(needs: DeliverNeeds, parcel: Parcel, body: string): void {
  const { row, line } = parcel
  const startedAtMs = needs.clock.nowMs()
  const startedMs = needs.clock.monotonicMs()
  const [current, previous] = line.keys
  const isRotating = previous !== undefined && startedAtMs < line.previousKeyUntilMs
  const headers = deliveryHeaders({
    keys: isRotating ? [current, previous] : [current],
    deliveryId: row.id,
    timestampS: Math.floor(startedAtMs / 1000),
    body,
    previousSequence: row.previousSequence,
    replay: row.replay,
  })
  const { timeoutMs } = needs.settings
  needs.egress
    .post({ url: parcel.url, teamId: line.webhook.teamId, body, headers, timeoutMs })
    .then((answer) => conclude(needs, parcel, answer, startedAtMs, startedMs))
}

/** Gives a delivery back as it was: no attempt was made, none is counted. */
export function release(needs: DeliverNeeds, parcel: Parcel): void {
  // It was due. Since when is of no importance, but a clock that is set back must not delay it.
  const dueAtMs = Math.min(parcel.row.createdAtMs, needs.clock.nowMs())
  const next = { kind: 'released', dueAtMs } as const
  // Newer ones must not go out before it comes back.
  parcel.line.releasing += 1
  parcel.line.setbacks += 1
  forgetAhead(needs.schedule, parcel.line)
  finishUnsent(needs, parcel, next, null)
}

/** There is nothing to send. It stays in the log as failed, for somebody to look at. */
export function giveUp(needs: DeliverNeeds, parcel: Parcel): void {
  const { lane } = parcel
  const ms = { lookup: 0, connect: 0, answer: 0, total: 0 }
  const nothing = { status: null, fault: 'result_missing', bodyStart: '', address: null, lane, ms }
  finishUnsent(needs, parcel, { kind: 'failed' }, { ...nothing, startedAtMs: needs.clock.nowMs() })
}

function finishUnsent(
  needs: DeliverNeeds,
  { row, lease, bodyBytes, ...place }: Parcel,
  next: AttemptOutcome['next'],
  attempt: AttemptOutcome['attempt'],
): void {
  const { id, webhookId, teamId, attemptsMade, part } = row
  const whose = { webhookId, teamId, dataBytes: dataBytes(row) }
  const what = { id, open: openPlace(row), lease, attemptsMade, part, ...whose }
  needs.finished({ ...what, next, attempt, bodyBytes, bill: null })
  leavePlace(needs.schedule, place)
  needs.freed()
}

function conclude(
  needs: DeliverNeeds,
  parcel: Parcel,
  answer: EgressOutcome,
  startedAtMs: number,
  startedMs: number,
): void {
  const { clock, schedule } = needs
  const { host, row } = parcel
  const { status, fault } = answer
  noteOutcome(host.health, { status, fault, startedAtMs: startedMs }, clock.monotonicMs())
  // An address that is refused says nothing about the host, which was not asked.
  if (fault !== 'refused_address') host.answers = fault === null
  leavePlace(schedule, parcel)

  const endedAtMs = clock.nowMs()
  const after = afterAttempt(needs, parcel, answer, endedAtMs)
  const outcome = outcomeOf(parcel, answer, after, startedAtMs, endedAtMs)
  needs.notes.attempt(parcel, answer, after?.kind ?? 'delivered', endedAtMs)
  if (after?.kind === 'gone' && row.kind === 'data') needs.gone(parcel, outcome)
  else needs.finished(outcome)
  needs.freed()
}

/** Null when it was accepted. */
function afterAttempt(
  { entropy, settings }: DeliverNeeds,
  { row }: Parcel,
  { status, fault, retryAfter }: EgressOutcome,
  nowMs: number,
): AfterFailure | null {
  const answered = fault === null ? status : null
  if (isAccepted(answered)) return null
  return afterFailedAttempt({
    attemptsMade: row.attemptsMade + 1,
    delaysMs: settings.retryDelaysMs,
    fraction: entropy.fraction(),
    status: answered,
    retryAfter,
    nowMs,
  })
}

function outcomeOf(
  { row, lane, line, lease, bodyBytes }: Parcel,
  { status, fault, ms, bodyStart, address }: EgressOutcome,
  after: AfterFailure | null,
  startedAtMs: number,
  endedAtMs: number,
): AttemptOutcome {
  const { teamId, appId, network } = line.webhook
  const centiCu = deliveryCentiCu(bodyBytes)
  // Errors cost nothing.
  const isBilled = after === null && row.kind === 'data'
  return {
    id: row.id,
    open: openPlace(row),
    lease,
    attemptsMade: row.attemptsMade,
    part: row.part,
    webhookId: row.webhookId,
    teamId,
    dataBytes: dataBytes(row),
    next: nextOf(row, after, endedAtMs),
    attempt: { startedAtMs, status, fault, ms, bodyStart, address, lane },
    bodyBytes,
    bill: isBilled ? { teamId, appId, network, centiCu, bytes: bodyBytes } : null,
  }
}

function dataBytes({ kind, dataBytes }: Parcel['row']): number | null {
  return kind === 'data' ? dataBytes : null
}

/** Null when it has a row. */
function openPlace({ network, sequenceNumber, position }: Parcel['row']): OpenPlace | null {
  if (position === null || sequenceNumber === null) return null
  return { network, sequenceNumber, position }
}

function nextOf(
  row: Parcel['row'],
  after: AfterFailure | null,
  nowMs: number,
): AttemptOutcome['next'] {
  if (after === null) return { kind: 'delivered' }
  if (after.kind === 'retry') return after
  // It stays for whoever unpauses the webhook. An error goes out although it is paused, so
  // it would be refused again and again.
  if (after.kind === 'gone' && row.kind === 'data') return { kind: 'retry', dueAtMs: nowMs }
  return { kind: 'failed' }
}
