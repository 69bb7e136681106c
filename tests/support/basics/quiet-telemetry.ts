import type { Telemetry } from '../../../src/ports/telemetry.ts'

/** Telemetry that only remembers: event names, counters, and gauges by name and labels. */
export type QuietTelemetry = Telemetry & {
  events: string[]
  counts: Map<string, number>
  gauges: Map<string, () => number>
}

export function quietTelemetry(): QuietTelemetry {
  const events: string[] = []
  const counts = new Map<string, number>()
  const gauges = new Map<string, () => number>()
  const add = (name: string, by: number) => void counts.set(name, (counts.get(name) ?? 0) + by)
  return {
    events,
    counts,
    gauges,
    log: (_level, event) => void events.push(event),
    logText: (_level, event) => void events.push(event),
    count: (name, _labels, by = 1) => add(name, by),
    counter: (name) => (by) => add(name, by),
    observeMs: () => {},
    histogram: () => () => {},
    gauge(name, labels, read) {
      const key = [name, ...Object.values(labels)].join(' ')
      gauges.set(key, read)
      return () => void gauges.delete(key)
    },
    exposition: () => '',
    flush: async () => {},
  }
}
