import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { jsonLog } from './json-log.ts'
import { metricRegistry } from './metric-registry.ts'
import { addProcessMetrics } from './process-metrics.ts'

type Options = {
  clock: Clock
  /** Takes finished lines, several at a time. The next piece waits for a returned promise. */
  write: (text: string) => void | Promise<void>
  /** Stands in each line, to tell several processes apart in one log. */
  component?: string
}

export function jsonTelemetry({ clock, write, component }: Options): Telemetry {
  const metrics = metricRegistry()
  addProcessMetrics(metrics)
  const fixed = component === undefined ? {} : { component }
  const log = jsonLog({ clock, write, fixed, dropped: metrics.countDroppedLogLines })
  return { ...metrics, log: log.line, logText: log.lineText, flush: log.flush }
}
