export type BackoffLimits = { minMs: number; maxMs: number }

export type Backoff = {
  nextMs(): number
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

export function backoffMs({ minMs, maxMs }: BackoffLimits, failures: number): number {
  return Math.min(maxMs, minMs * 2 ** Math.max(0, failures - 1))
}
