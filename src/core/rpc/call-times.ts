/**
 * How long calls took, counted in fixed buckets that grow by about a half: counts of several
 * processes and hours add up, which quantiles themselves do not.
 */
export type CallTimes = number[]

/** The upper edges of the buckets but the last, in milliseconds. */
const EDGES_MS = [
  0.5, 1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 300, 500, 800, 1500, 3000, 10_000,
] as const

/** Longer than a request may take; the last bucket is read as if it ended here. */
const LAST_EDGE_MS = 60_000

export const TIME_BUCKETS = EDGES_MS.length + 1

export function newTimes(): CallTimes {
  return Array<number>(TIME_BUCKETS).fill(0)
}

/** Hot path: a few comparisons and one addition, and nothing is allocated. */
export function addTime(times: CallTimes, ms: number, calls = 1): void {
  let bucket = 0
  while (ms > (EDGES_MS[bucket] ?? Number.POSITIVE_INFINITY)) bucket++
  times[bucket] = (times[bucket] ?? 0) + calls
}

export function addTimes(times: CallTimes, others: readonly number[]): void {
  for (let bucket = 0; bucket < TIME_BUCKETS; bucket++) {
    times[bucket] = (times[bucket] ?? 0) + (others[bucket] ?? 0)
  }
}

/**
 * The time that this share of the calls stayed below, to a tenth of a millisecond, as if calls were
 * spread evenly over their bucket; null without any.
 */
export function timeQuantileMs(times: readonly number[], quantile: number): number | null {
  const total = times.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const wanted = total * quantile
  let before = 0
  let fromMs = 0
  for (let bucket = 0; bucket < TIME_BUCKETS; bucket++) {
    const count = times[bucket] ?? 0
    const toMs = EDGES_MS[bucket] ?? LAST_EDGE_MS
    if (count > 0 && before + count >= wanted) {
      const ms = fromMs + ((toMs - fromMs) * (wanted - before)) / count
      return Math.round(ms * 10) / 10
    }
    before += count
    fromMs = toMs
  }
  return LAST_EDGE_MS
}
