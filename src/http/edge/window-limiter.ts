import type { Clock } from '../../ports/clock.ts'

type Limits = {
  /** One key may occur this often in a window. */
  countMax: number
  windowMs: number
  /** Keys counted at once; past it the one counted longest is forgotten. */
  keysMax: number
}

export type WindowLimiter = {
  /** Whole seconds to wait when the key has used up its window, else 0. */
  waitS(key: string): number
  /** A negative count takes back what was counted too much. */
  add(key: string, count?: number): void
}

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

  return {
    waitS(key) {
      const nowMs = startWindowIfDue()
      if ((counts.get(key) ?? 0) < limits.countMax) return 0
      return Math.max(1, Math.ceil((windowEndsMs - nowMs) / 1000))
    },

    add(key, more = 1) {
      startWindowIfDue()
      const count = counts.get(key)
      if (count === undefined && counts.size >= limits.keysMax) {
        const [oldest] = counts.keys()
        if (oldest !== undefined) counts.delete(oldest)
      }
      // A count that is taken back may belong to a window that is over.
      counts.set(key, Math.max(0, (count ?? 0) + more))
    },
  }
}
