import {
  type Latency,
  latencyQuantileMs,
  learnLatency,
  newLatency,
} from '../../core/rpc/latency.ts'

export type Hedging = ReturnType<typeof newHedging>

type Learned = Latency & { delayMs: number; sinceDelay: number }

const QUANTILE = 0.95
/** The watch looks every few milliseconds; a shorter delay would be luck. */
const DELAY_MS_MIN = 5
/** The quantile moves slowly, so it is worked out anew only so often. */
const DELAY_EVERY = 32
/** Hedges may add one call in twenty, and never more at once than this burst. */
const SHARE = 0.05
const CREDIT_MAX = 20
const METHODS_MAX = 500

export function newHedging() {
  return { latencies: new Map<string, Learned>(), credit: CREDIT_MAX / 2 }
}

export function earnHedge(hedging: Hedging): void {
  hedging.credit = Math.min(CREDIT_MAX, hedging.credit + SHARE)
}

/** True when one more call may be doubled. */
export function spendHedge(hedging: Hedging): boolean {
  if (hedging.credit < 1) return false
  hedging.credit--
  return true
}

/** How long to wait for the first upstream before asking a second; Infinity while unlearned. */
export function hedgeDelayMs(hedging: Hedging, method: string): number {
  return hedging.latencies.get(method)?.delayMs ?? Number.POSITIVE_INFINITY
}

export function learnHedge(hedging: Hedging, method: string, tookMs: number): void {
  let learned = hedging.latencies.get(method)
  if (!learned) {
    if (hedging.latencies.size >= METHODS_MAX) return
    learned = { ...newLatency(), delayMs: Number.POSITIVE_INFINITY, sinceDelay: 0 }
    hedging.latencies.set(method, learned)
  }
  learnLatency(learned, tookMs)
  learned.sinceDelay++
  if (learned.sinceDelay < DELAY_EVERY) return
  learned.sinceDelay = 0
  const quantileMs = latencyQuantileMs(learned, QUANTILE)
  if (quantileMs !== null) learned.delayMs = Math.max(DELAY_MS_MIN, quantileMs)
}
