/** The timers of the clock that is handed in: core has none of its own. */
export type Timers = {
  /** Calls `work` once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, work: () => void): () => void
}
