import type { Clock } from '../../src/ports/clock.ts'
import type { LogFields, Telemetry } from '../../src/ports/telemetry.ts'
import { quietTelemetry } from '../support/basics/quiet-telemetry.ts'
import type { SimNode } from './nodes/sim-node.ts'
import { simOutbound } from './nodes/sim-outbound.ts'
import { simSockets } from './nodes/sim-sockets.ts'
import type { Life } from './process-life.ts'
import type { Trace } from './trace.ts'
import type { VirtualClock } from './virtual-clock.ts'

type Hearing = { trace: Trace; logged(life: Life, event: string, fields: LogFields): void }

const WALL_START_MS = Date.UTC(2026, 4, 10, 12)

/** Time as one process has it. */
export function clockOf(clock: VirtualClock, life: Life, wallSkewMs: number): Clock {
  const startedAtMs = clock.elapsedMs()
  return {
    nowMs: () => Math.floor(wallMs(clock) + wallSkewMs),
    monotonicMs: () => clock.elapsedMs() - startedAtMs,
    after: (delayMs, work) => clock.after(delayMs, work, life),
    every: (periodMs, work) => clock.every(periodMs, work, life),
    sleep: (delayMs) => new Promise((resolve) => void clock.after(delayMs, resolve, life)),
  }
}

/** The time that the chain and all clocks agree on, more or less. */
export function wallMs(clock: VirtualClock): number {
  return WALL_START_MS + clock.elapsedMs()
}

export function telemetryOf({ trace, logged }: Hearing, life: Life): Telemetry {
  return {
    ...quietTelemetry(),
    count: () => {},
    counter: () => () => {},
    log(level, event, fields) {
      if (!life.alive) return
      if (level !== 'info') trace.note(life.name, event, ...Object.values(fields))
      logged(life, event, fields)
    },
    logText: () => {},
  }
}

/** How one process reaches the nodes. */
export function waysOut(
  needs: { clock: VirtualClock; nodes: readonly SimNode[]; trace: Trace },
  life: Life,
) {
  return { outbound: simOutbound(needs, life), sockets: simSockets(needs, life) }
}
