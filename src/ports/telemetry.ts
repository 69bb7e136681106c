export type LogFields = Readonly<Record<string, string | number | boolean | null>>

export type LogLevel = 'info' | 'warn' | 'error'

/**
 * What operators see. Nothing secret may be handed to it: keys, tokens and upstream addresses stay
 * out.
 */
export interface Telemetry {
  /** One JSON line. */
  log(level: LogLevel, event: string, fields: LogFields): void

  /** The same for the hot path: `fieldsText` is JSON already, as `"name":"value","n":1`. */
  logText(level: LogLevel, event: string, fieldsText: string): void

  /** Adds to a counter; the set of labels must be bounded. */
  count(name: string, labels: Readonly<Record<string, string>>, by?: number): void

  /** Notes a duration in the histogram of that name. */
  observeMs(name: string, labels: Readonly<Record<string, string>>, ms: number): void

  /** The counter itself, for the hot path: labels are worked out once. */
  counter(name: string, labels: Readonly<Record<string, string>>): (by: number) => void

  /** The histogram itself, for the hot path. */
  histogram(name: string, labels: Readonly<Record<string, string>>): (ms: number) => void

  /** Registers a value read when `/metrics` is asked for; the returned function forgets it. */
  gauge(name: string, labels: Readonly<Record<string, string>>, read: () => number): () => void

  /** The Prometheus text. */
  exposition(): string

  /** Writes out what is still buffered. */
  flush(): Promise<void>
}
