import type { Clock } from '../../ports/clock.ts'

export type Timed = {
  /** From here on a second upstream may be asked; Infinity: never. */
  hedgeAtMs: number
  /** From here on a silent upstream may count as hung. */
  stallAtMs: number
  deadlineMs: number
}

type Reaction<T> = (attempt: T, nowMs: number) => void

/** Hedges are worth milliseconds, so the watch looks that often, but only while calls are out. */
const LOOK_EVERY_MS = 5

/**
 * No more than this counts of the time between two looks. When this process itself stood still,
 * answers wait to be read, and their nodes are not to blame.
 */
const COUNTED_MS_MAX = 250

export type AttemptWatch<T extends Timed> = ReturnType<typeof openAttemptWatch<T>>

/**
 * Keeps the time of all calls in flight with one timer. A timer for each call
 * would cost more than the call's own bookkeeping.
 */
export function openAttemptWatch<T extends Timed>(
  clock: Clock,
  reactions: Record<'onLate' | 'onStall' | 'onDeadline', Reaction<T>>,
) {
  const running = new Set<T>()
  let stopLooking: (() => void) | null = null
  let lookedAtMs = 0

  const look = () => {
    if (running.size === 0) {
      stopLooking?.()
      stopLooking = null
      return
    }
    const nowMs = clock.monotonicMs()
    const lostMs = nowMs - lookedAtMs - COUNTED_MS_MAX
    lookedAtMs = nowMs
    if (lostMs > 0) for (const attempt of running) postpone(attempt, lostMs)
    for (const attempt of running) {
      if (nowMs >= attempt.deadlineMs) reactions.onDeadline(attempt, nowMs)
      else if (nowMs >= attempt.stallAtMs) reactions.onStall(attempt, nowMs)
      else if (nowMs >= attempt.hedgeAtMs) reactions.onLate(attempt, nowMs)
    }
  }

  return {
    add(attempt: T): void {
      running.add(attempt)
      if (stopLooking) return
      lookedAtMs = clock.monotonicMs()
      stopLooking = clock.every(LOOK_EVERY_MS, look)
    },
    remove: (attempt: T) => void running.delete(attempt),
  }
}

/** A hedge is not put off: a second node costs little and may be faster than what waits here. */
function postpone(attempt: Timed, byMs: number): void {
  attempt.stallAtMs += byMs
  attempt.deadlineMs += byMs
}
