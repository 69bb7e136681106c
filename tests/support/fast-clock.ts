import type { Clock } from '../../src/ports/clock.ts'
import { systemClock } from '../../src/system/machine/system-clock.ts'

/** The machine's time, so many times as fast. */
export function fastClock(factor: number): Clock {
  const clock = systemClock()
  return {
    nowMs: () => Math.floor(clock.nowMs() + clock.monotonicMs() * (factor - 1)),
    monotonicMs: () => clock.monotonicMs() * factor,
    after: (delayMs, work) => clock.after(delayMs / factor, work),
    every: (periodMs, work) => clock.every(Math.max(1, periodMs / factor), work),
    sleep: (delayMs) => clock.sleep(delayMs / factor),
  }
}
