/** Time and timers; tests stand in for it with time that moves on command. */
export interface Clock {
  nowMs(): number
  /** Monotonic milliseconds with a fraction, for durations. */
  monotonicMs(): number
  after(delayMs: number, work: () => void): () => void
  every(periodMs: number, work: () => void): () => void
  sleep(delayMs: number): Promise<void>
}

/** The real time. Its timers keep no process alive that has nothing else to do. */
export function systemClock(): Clock {
  return {
    nowMs: () => Date.now(),
    monotonicMs: () => performance.now(),
    after(delayMs, work) {
      const timer = setTimeout(work, delayMs).unref()
      return () => clearTimeout(timer)
    },
    every(periodMs, work) {
      const timer = setInterval(work, periodMs).unref()
      return () => clearInterval(timer)
    },
    sleep: (delayMs) =>
      new Promise((resolve) => {
        if (delayMs === 0) setImmediate(resolve)
        else setTimeout(resolve, delayMs)
      }),
  }
}
