import { assert } from '../errors.ts'
import { retryAfterMs } from './retry-after.ts'

export type RetryDecision =
  | { kind: 'retry'; dueAtMs: number }
  | { kind: 'give_up' }
  | { kind: 'gone' }

type FailedAttempt = {
  /** The failed one included. */
  attemptsMade: number
  /** Waits before the second attempt, the third, and so on. */
  delaysMs: readonly number[]
  /** Chance, from 0 to 1. */
  fraction: number
  /** Null when no answer came. */
  status: number | null
  retryAfter: string | null
  nowMs: number
}

/** Deliveries that failed together must not come back together. */
const SPREAD = 0.2

/** A destination may ask for patience, but not put its deliveries off for days. */
const RETRY_AFTER_MS_MAX = 3_600_000

const GONE = 410
const TOO_MANY_REQUESTS = 429
const UNAVAILABLE = 503

export function isAccepted(status: number | null): boolean {
  return status !== null && status >= 200 && status <= 299
}

export function scheduleRetry(attempt: FailedAttempt): RetryDecision {
  const { attemptsMade, fraction, status, retryAfter, nowMs } = attempt
  assert(attemptsMade >= 1, 'an attempt was made')
  assert(fraction >= 0 && fraction <= 1, 'chance lies between 0 and 1')
  assert(!isAccepted(status), 'an accepted delivery is finished')
  if (status === GONE) return { kind: 'gone' }

  const delayMs = attempt.delaysMs[attemptsMade - 1]
  if (delayMs === undefined) return { kind: 'give_up' }

  const scheduledMs = nowMs + Math.round(delayMs * (1 - SPREAD + 2 * SPREAD * fraction))
  const asks = status === TOO_MANY_REQUESTS || status === UNAVAILABLE
  const askedMs = asks && retryAfter !== null ? retryAfterMs(retryAfter, nowMs) : null
  // A destination can slow us down and not speed us up.
  const patientMs = Math.min(askedMs ?? nowMs, nowMs + RETRY_AFTER_MS_MAX)
  return { kind: 'retry', dueAtMs: Math.max(scheduledMs, patientMs) }
}
