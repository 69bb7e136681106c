import { rates } from '../node/rolling-counts.ts'
import type { Upstream } from '../node/upstream.ts'
import { budgetReport } from '../spend/budget-report.ts'

/** A private relay as operators see it: of a head and of reads it has none. */
export function relayReport(relay: Upstream, nowMs: number) {
  const { spec, failuresInARow, throttledUntilMs, lastFault, lastFaultAtMs } = relay
  const isSpared = throttledUntilMs > nowMs
  const trouble = isSpared ? 'asked for fewer calls' : failuresInARow > 0 && 'its last send failed'
  return {
    name: spec.name,
    state: trouble ? ('standby' as const) : ('used' as const),
    reason: trouble ? `private relay: ${trouble}` : 'private relay: sends only',
    last_fault: lastFault === '' ? null : lastFault,
    last_fault_age_ms: lastFault === '' ? null : Math.round(nowMs - lastFaultAtMs),
    next_probe_ms: null,
    head: null,
    lag_blocks: null,
    error_rate: Math.round(rates(relay).errorRate * 1000) / 1000,
    latency_ms: Math.round(relay.latencyMs * 100) / 100,
    in_flight: relay.inFlight,
    heard: false,
    sends_only: true,
    disagreements: 0,
    last_disagreement: null,
    last_disagreement_age_ms: null,
    budget: budgetReport(relay),
  }
}
