/** Time and timers. A simulation stands in for it with time that moves on command. */
export interface Clock {
  /** Milliseconds since 1970, for what is stored or shown. */
  nowMs(): number

  /** Monotonic milliseconds with a fraction, for durations. */
  monotonicMs(): number

  /** Calls `work` once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, work: () => void): () => void

  /** Calls `work` every `periodMs` until the returned function is called. */
  every(periodMs: number, work: () => void): () => void

  sleep(delayMs: number): Promise<void>
}
