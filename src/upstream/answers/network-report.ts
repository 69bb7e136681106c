import { rates } from '../node/rolling-counts.ts'
import type { Upstream } from '../node/upstream.ts'
import type { NetworkService } from './ask-network.ts'

/** The age of an agreed head that every upstream has moved on from: it is not new. */
const HEAD_AGE_UNKNOWN_MS = 3_600_000

export type NetworkStatus = ReturnType<typeof networkReport>

/** The entry of one network in `/api/networks`, with why each upstream is used or not. */
export function networkReport(service: NetworkService) {
  const { network, pool } = service
  const { selection, clock } = pool
  const nowMs = clock.monotonicMs()
  const { head } = selection
  const nodes = nodeReports(service, nowMs)
  const heads = selection.upstreams.map((upstream) => upstream.head)
  const seen = heads.filter((one) => one !== null && one.hash === head?.hash)
  const ageMs = Math.min(...seen.map((one) => nowMs - (one?.reportedAtMs ?? 0)))
  return {
    id: network.id,
    slug: network.slug,
    kind: network.kind,
    head: head && {
      number: head.number,
      // A slot has no hash to tell it by; inside, its own number does.
      hash: network.kind === 'evm' ? head.hash : null,
      age_ms: Number.isFinite(ageMs) ? Math.round(ageMs) : HEAD_AGE_UNKNOWN_MS,
    },
    finalized: head?.finalized ?? null,
    block_time_ms: network.blockTimeMs,
    verify: verifyReport(service),
    upstreams: [...nodes, ...pool.relays.map((relay) => relayReport(relay, nowMs))],
  }
}

function nodeReports({ pool: { selection } }: NetworkService, nowMs: number) {
  return selection.upstreams.map((upstream, at) => {
    const verdict = selection.verdicts[at]
    const { breaker } = upstream
    return {
      name: upstream.spec.name,
      state: verdict?.state ?? 'excluded',
      reason: verdict?.reason ?? 'not judged yet',
      ...upstreamReport(upstream, nowMs),
      next_probe_ms:
        breaker.state === 'open' ? Math.max(0, Math.round(breaker.openUntilMs - nowMs)) : null,
      lag_blocks: verdict?.lagBlocks ?? null,
      heard: selection.followStateOf.get(upstream) === 'used',
      sends_only: false,
    }
  })
}

/** A private relay as operators see it: of a head and of reads it has none. */
function relayReport(relay: Upstream, nowMs: number) {
  const { failuresInARow, throttledUntilMs } = relay
  const isSpared = throttledUntilMs > nowMs
  const trouble = isSpared ? 'asked for fewer calls' : failuresInARow > 0 && 'its last send failed'
  return {
    name: relay.spec.name,
    state: trouble ? ('standby' as const) : ('used' as const),
    reason: trouble ? `private relay: ${trouble}` : 'private relay: sends only',
    ...upstreamReport(relay, nowMs),
    next_probe_ms: null,
    lag_blocks: null,
    heard: false,
    sends_only: true,
  }
}

function upstreamReport(upstream: Upstream, nowMs: number) {
  const { lastFault, lastFaultAtMs, disagreements } = upstream
  const { count, method, atMs } = disagreements
  return {
    last_fault: lastFault === '' ? null : lastFault,
    last_fault_age_ms: lastFault === '' ? null : Math.round(nowMs - lastFaultAtMs),
    head: upstream.head?.number ?? null,
    error_rate: Math.round(rates(upstream).errorRate * 1000) / 1000,
    latency_ms: Math.round(upstream.latencyMs * 100) / 100,
    in_flight: upstream.inFlight,
    disagreements: count,
    last_disagreement: count === 0 ? null : method,
    last_disagreement_age_ms: count === 0 ? null : Math.round(nowMs - atMs),
    budget: budgetReport(upstream),
  }
}

/** The budget of an upstream as operators see it; null where none is configured. */
function budgetReport({ spend }: Upstream) {
  if (spend === null) return null
  const { limits } = spend.account
  return {
    account: limits.account,
    requests_per_second: limits.requestsPerSecond,
    credits_per_month: limits.creditsPerMonth,
    credits_spent: spend.account.creditsSpent(),
    time_reset: spend.account.period().endMs,
  }
}

function verifyReport({ verifying: { mode, fallback, unproven } }: NetworkService) {
  return { mode, form: fallback === null ? ('receipts' as const) : null, fallback, unproven }
}
