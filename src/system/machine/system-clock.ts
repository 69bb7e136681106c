import { assert } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'

/** The runtime keeps delays in 32 signed bits; a longer one would fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1

/** The real time. Its timers never keep a process alive that has nothing else to do. */
export function systemClock(): Clock {
  return {
    nowMs: () => Date.now(),
    monotonicMs: () => performance.now(),
    after,
    every,
    sleep: (delayMs) =>
      new Promise((resolve) => {
        if (delayMs === 0) setImmediate(resolve)
        else setTimeout(resolve, checked(delayMs))
      }),
  }
}

function after(delayMs: number, work: () => void): () => void {
  assert(Number.isFinite(delayMs), 'a delay is a number')
  if (delayMs === 0) return soon(work)
  let timer = arm(delayMs)
  return () => clearTimeout(timer)

  // A wait that is too long for one timer is walked in several.
  function arm(restMs: number): Timer {
    const stepMs = Math.min(restMs, TIMER_MS_MAX)
    const step = () => {
      if (restMs <= TIMER_MS_MAX) return work()
      timer = arm(restMs - TIMER_MS_MAX)
    }
    return setTimeout(step, stepMs).unref()
  }
}

/** The runtime's shortest timer takes a millisecond, in which much could be done. */
function soon(work: () => void): () => void {
  const immediate = setImmediate(work)
  return () => clearImmediate(immediate)
}

function every(periodMs: number, work: () => void): () => void {
  assert(periodMs > 0, 'a period is longer than nothing')
  const timer = setInterval(work, checked(periodMs)).unref()
  return () => clearInterval(timer)
}

function checked(delayMs: number): number {
  assert(delayMs <= TIMER_MS_MAX, `a timer holds at most ${TIMER_MS_MAX} ms`)
  return delayMs
}
