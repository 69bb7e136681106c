import type { NodeHead } from '../node/node-head.ts'
import type { Upstream } from '../node/upstream.ts'

export type PollOutcome =
  | { tookMs: number }
  | { reason: string; throttled: boolean; retryAfterMs: number }

/**
 * One upstream as the process saw it that polls it, for those that do not. Facts, not verdicts:
 * each process judges by these and by what it saw of its own calls. Times are ages, since clocks
 * of two processes need not agree.
 */
export type UpstreamObservation = {
  name: string
  chain: Upstream['chain']
  /** Null when it was not polled since the last observation. */
  poll: PollOutcome | null
  head: (NodeHead & { reportedAgoMs: number; advancedAgoMs: number }) | null
  finalizedTag: number | null
  /** For how long it is to be spared, as it asked of any process; 0: not at all. */
  throttledForMs: number
}

/**
 * A change of the chain that shows in answers before heads tell of it: a write went through, an
 * answer spoke of a block beyond the head, or `eth_blockNumber` was answered with a new height.
 */
export type ChainNews = { kind: 'write' } | { kind: 'seen' | 'shown'; height: number }

/** The one process that watches the upstreams, as those see it that serve beside it. */
export type SharedWatch = {
  /** Hears the latest observation of each upstream, and all that follow. */
  subscribe(networkId: string, hear: (seen: UpstreamObservation) => void): () => void
  pollNow(networkId: string): void
  /** Tells that an upstream has asked this process for fewer calls. */
  throttled(networkId: string, upstream: string, forMs: number): void
  /** Resolves when all other processes have heard it, or after a moment. */
  tell(networkId: string, news: ChainNews): Promise<void>
  subscribeToNews(networkId: string, hear: (news: ChainNews) => void): () => void
}

export function observe(
  upstream: Upstream,
  poll: PollOutcome | null,
  finalizedTag: number | null,
  nowMs: number,
): UpstreamObservation {
  const { spec, chain, head } = upstream
  return {
    name: spec.name,
    chain,
    poll,
    head: head && {
      number: head.number,
      hash: head.hash,
      parentHash: head.parentHash,
      blockAgeMs: head.blockAgeMs,
      reportedAgoMs: nowMs - head.reportedAtMs,
      advancedAgoMs: nowMs - head.advancedAtMs,
    },
    finalizedTag,
    throttledForMs: Math.max(0, upstream.throttledUntilMs - nowMs),
  }
}

/** The last poll as far as it is remembered, for a process that comes later. */
export function lastPollOf({ activeHealth, lastFault }: Upstream): PollOutcome | null {
  const { pollsFailedInARow, pollLatencyMs } = activeHealth
  if (pollsFailedInARow === 0) return pollLatencyMs === 0 ? null : { tookMs: pollLatencyMs }
  return { reason: lastFault, throttled: false, retryAfterMs: 0 }
}
