/** Learns how long calls take: counts in buckets that grow by a quarter, ageing by halves. */
export type Latency = { counts: Float64Array; total: number; sinceHalving: number }

const BUCKETS = 64
const FIRST_MS = 0.25
const GROWTH = 1.25
const LOG_GROWTH = Math.log(GROWTH)

/** Old calls count half after this many new ones, so that a change is learned in minutes. */
const HALVE_AFTER = 2000

/** Fewer than this and a quantile is a guess. */
const SAMPLES_MIN = 20

export function newLatency(): Latency {
  return { counts: new Float64Array(BUCKETS), total: 0, sinceHalving: 0 }
}

export function learnLatency(latency: Latency, ms: number): void {
  const bucket = ms <= FIRST_MS ? 0 : Math.ceil(Math.log(ms / FIRST_MS) / LOG_GROWTH)
  const at = Math.min(BUCKETS - 1, bucket)
  latency.counts[at] = (latency.counts[at] ?? 0) + 1
  latency.total++
  latency.sinceHalving++
  if (latency.sinceHalving >= HALVE_AFTER) halve(latency)
}

/** The upper edge of the bucket that holds the quantile; null while too little is known. */
export function latencyQuantileMs(latency: Latency, quantile: number): number | null {
  if (latency.total < SAMPLES_MIN) return null
  const wanted = latency.total * quantile
  let seen = 0
  for (let at = 0; at < BUCKETS; at++) {
    seen += latency.counts[at] ?? 0
    if (seen >= wanted) return FIRST_MS * GROWTH ** at
  }
  return FIRST_MS * GROWTH ** (BUCKETS - 1)
}

function halve(latency: Latency): void {
  for (let at = 0; at < BUCKETS; at++) latency.counts[at] = (latency.counts[at] ?? 0) / 2
  latency.total /= 2
  latency.sinceHalving = 0
}
