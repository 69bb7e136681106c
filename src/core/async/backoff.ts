type BackoffLimits = { minMs: number; maxMs: number }

export function openBackoff(limits: BackoffLimits) {
  let failures = 0
  return {
    nextMs(): number {
      failures += 1
      return backoffMs(limits, failures)
    },
    reset(): void {
      failures = 0
    },
  }
}

export function backoffMs({ minMs, maxMs }: BackoffLimits, failures: number): number {
  return Math.min(maxMs, minMs * 2 ** Math.max(0, failures - 1))
}
