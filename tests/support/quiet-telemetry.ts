import type { Telemetry } from '../../src/ports/telemetry.ts'

/** Telemetry that only remembers: event names and counters. */
export type QuietTelemetry = Telemetry & { events: string[]; counts: Map<string, number> }

export function quietTelemetry(): QuietTelemetry {
  const events: string[] = []
  const counts = new Map<string, number>()
  const add = (name: string, by: number) => void counts.set(name, (counts.get(name) ?? 0) + by)
  return {
    events,
    counts,
    log: (_level, event) => void events.push(event),
    logText: (_level, event) => void events.push(event),
    count: (name, _labels, by = 1) => add(name, by),
    counter: (name) => (by) => add(name, by),
    observeMs: () => {},
    histogram: () => () => {},
    gauge: () => () => {},
    exposition: () => '',
    flush: async () => {},
  }
}
