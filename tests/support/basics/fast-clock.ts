import type { Clock } from '../../../src/ports/clock.ts'
import { systemClock } from '../../../src/system/machine/system-clock.ts'

/** The machine's time, so many times as fast from now on. */
export function fastClock(factor: number): Clock {
  const clock = systemClock()
  const startMs = clock.monotonicMs()
  const gainedMs = () => (clock.monotonicMs() - startMs) * (factor - 1)
  return {
    nowMs: () => Math.floor(clock.nowMs() + gainedMs()),
    monotonicMs: () => clock.monotonicMs() + gainedMs(),
    after: (delayMs, work) => clock.after(delayMs / factor, work),
    every: (periodMs, work) => clock.every(Math.max(1, periodMs / factor), work),
    sleep: (delayMs) => clock.sleep(delayMs / factor),
  }
}
