import { Failure } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'

/** Calls that wait because every upstream has its hands full, first come first served. */
export type WaitingLine<T> = {
  readonly length: number
  /** Lets a call wait; it fails when the line is too long or does not move. */
  join(run: T): void
  /** Sends waiting calls off, in order, for as long as `launch` finds a place for them. */
  move(launch: (run: T) => boolean): void
}

/** More than ten batches of the largest size; beyond it, waiting would be hopeless. */
const WAITING_MAX = 10_000
const WAIT_MS_MAX = 10_000

export function openWaitingLine<T extends { reject(failure: Failure): void }>(
  clock: Clock,
): WaitingLine<T> {
  const waiting = new Map<T, () => void>()
  return {
    get length() {
      return waiting.size
    },
    join(run) {
      if (waiting.size >= WAITING_MAX) return run.reject(new Failure('upstream_unreachable'))
      const stopTimer = clock.after(WAIT_MS_MAX, () => {
        waiting.delete(run)
        run.reject(new Failure('upstream_timed_out'))
      })
      waiting.set(run, stopTimer)
    },
    move(launch) {
      for (const [run, stopTimer] of waiting) {
        if (!launch(run)) return
        stopTimer()
        waiting.delete(run)
      }
    },
  }
}

/** Calls that wait because their caller has its share of all upstreams in hand: a line for each. */
export type ShareLines<T> = {
  /** Callers who wait. */
  readonly length: number
  join(share: string, run: T): void
  /** Sends off whatever finds a place. Who has none holds up himself alone. */
  move(launch: (run: T) => boolean): void
}

export function openShareLines<T extends { reject(failure: Failure): void }>(
  clock: Clock,
): ShareLines<T> {
  const lines = new Map<string, WaitingLine<T>>()
  return {
    get length() {
      return lines.size
    },
    join(share, run) {
      const line = lines.get(share) ?? openWaitingLine<T>(clock)
      lines.set(share, line)
      line.join(run)
    },
    move(launch) {
      for (const [share, line] of lines) {
        line.move(launch)
        if (line.length === 0) lines.delete(share)
      }
    },
  }
}
