/** The shortest and the longest wait between two attempts. */
export type BackoffLimits = { minMs: number; maxMs: number }

/** Waits between attempts that get longer while they fail. */
export type Backoff = {
  /** The wait after one more failure. */
  nextMs(): number
  /** An attempt succeeded: the next failure waits as briefly as the first. */
  reset(): void
}

export function openBackoff(limits: BackoffLimits): Backoff {
  let failures = 0
  return {
    nextMs() {
      failures += 1
      return backoffMs(limits, failures)
    },
    reset() {
      failures = 0
    },
  }
}

/** The wait after that many failures in a row: doubled with each, from the shortest on. */
export function backoffMs({ minMs, maxMs }: BackoffLimits, failures: number): number {
  return Math.min(maxMs, minMs * 2 ** Math.max(0, failures - 1))
}
