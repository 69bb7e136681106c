import type { CounterName, GaugeName, HistogramName, LabelsOf } from './metric-catalogue.ts'

export type LogFields = Readonly<Record<string, string | number | boolean | null>>

export type LogLevel = 'info' | 'warn' | 'error'

/**
 * The operators' view. Nothing secret may be handed to it: keys, tokens and node addresses stay
 * out.
 */
export interface Telemetry {
  /** One JSON line. */
  log(level: LogLevel, event: string, fields: LogFields): void

  /** The same for the hot path: `fieldsText` is JSON already, as `"name":"value","n":1`. */
  logText(level: LogLevel, event: string, fieldsText: string): void

  /** Adds to a counter; the set of label values must be bounded. */
  count<Name extends CounterName>(name: Name, labels: LabelsOf<Name>, by?: number): void

  /** Notes a duration in the histogram of that name, which shows seconds. */
  observeMs<Name extends HistogramName>(name: Name, labels: LabelsOf<Name>, ms: number): void

  /** The counter itself, for the hot path: labels are worked out once. */
  counter<Name extends CounterName>(name: Name, labels: LabelsOf<Name>): (by: number) => void

  /** The histogram itself, for the hot path. */
  histogram<Name extends HistogramName>(name: Name, labels: LabelsOf<Name>): (ms: number) => void

  /** Registers a value read when `/metrics` is asked for; the returned function forgets it. */
  gauge<Name extends GaugeName>(name: Name, labels: LabelsOf<Name>, read: () => number): () => void

  /** The Prometheus text. */
  exposition(): string

  flush(): Promise<void>
}

/** Logs and counts an exception in our own code: its name and stack, nothing of the request. */
export function noteBug(telemetry: Pick<Telemetry, 'log' | 'count'>, bug: unknown): void {
  const name = bug instanceof Error ? bug.name : 'unknown'
  const at = bug instanceof Error ? (bug.stack ?? '').split('\n').slice(1, 4).join(' ') : ''
  telemetry.log('error', 'bug', { name, at: at.replace(/\s+/g, ' ').slice(0, 500) })
  telemetry.count('headgate_bugs_total', {})
}
