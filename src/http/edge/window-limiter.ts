import { Rejection } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'

type Limits = {
  countMax: number
  windowMs: number
  refusal: string
}

export type WindowLimiter = {
  refuse(key: string): Rejection | null
  /** A negative count takes back what was counted too much. */
  add(key: string, count?: number): void
  /** Counts it, or refuses it. */
  take(key: string, count?: number): Rejection | null
}

/** Keys counted at once, some 100 bytes each; past it the one counted longest is forgotten. */
const KEYS_MAX = 10_000

/**
 * Counts by key in windows that all keys share, so that a new window costs one
 * clear and a key that is never seen again costs nothing.
 */
export function windowLimiter(clock: Clock, limits: Limits): WindowLimiter {
  const counts = new Map<string, number>()
  let windowEndsMs = Number.NEGATIVE_INFINITY

  function startWindowIfDue(): number {
    const nowMs = clock.monotonicMs()
    if (nowMs >= windowEndsMs) {
      counts.clear()
      windowEndsMs = nowMs + limits.windowMs
    }
    return nowMs
  }

  const refuse = (key: string): Rejection | null => {
    const nowMs = startWindowIfDue()
    if ((counts.get(key) ?? 0) < limits.countMax) return null
    const retryAfterS = Math.max(1, Math.ceil((windowEndsMs - nowMs) / 1000))
    return new Rejection('too_many_requests', limits.refusal, { retryAfterS })
  }

  const add = (key: string, more = 1): void => {
    startWindowIfDue()
    const count = counts.get(key)
    if (count === undefined && counts.size >= KEYS_MAX) {
      const [oldest] = counts.keys()
      if (oldest !== undefined) counts.delete(oldest)
    }
    // A count that is taken back may belong to a window that is over.
    counts.set(key, Math.max(0, (count ?? 0) + more))
  }

  return {
    refuse,
    add,
    take(key, count) {
      const refused = refuse(key)
      if (!refused) add(key, count)
      return refused
    },
  }
}
