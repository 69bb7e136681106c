import type { Clock } from '../ports/clock.ts'
import { systemClock } from '../system/machine/system-clock.ts'

/** The time for commands, which need none of the other drivers. */
export function terminalClock(): Clock {
  return systemClock()
}
