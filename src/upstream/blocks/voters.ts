import type { NetworkService } from '../answers/ask-network.ts'
import { answersUs } from '../node/active-health.ts'
import type { Upstream } from '../node/upstream.ts'

/** An upstream behind the others without a new head for this long has no vote any more. */
const STUCK_MS_MIN = 60_000
const STUCK_BLOCKS = 8

/**
 * The upstreams that vote where they differ about the chain, used or not: all that answer us.
 * Calls have no say in that, else a caller could decide who votes.
 */
export function voters({ pool: { selection, clock } }: NetworkService): Upstream[] {
  const nowMs = clock.monotonicMs()
  return selection.upstreams.filter(
    ({ chain, activeHealth }) => chain !== 'wrong' && answersUs(activeHealth, nowMs),
  )
}

/** The heads of the voters; null for one that has not reported any yet. */
export function votersHeads(service: NetworkService): Upstream['head'][] {
  return voters(service)
    .map(({ head }) => head)
    .filter((head) => !isStuck(service, head))
}

/**
 * The upstreams that count when a block is accepted without a proof. An outage of seconds does
 * not remove an upstream, so that a lying one cannot decide alone; one that stays behind for
 * minutes no longer counts, so that a dead node does not stop webhooks.
 */
export function electorate(service: NetworkService): Upstream[] {
  const nowMs = service.pool.clock.monotonicMs()
  return service.pool.selection.upstreams.filter(({ chain, head, activeHealth }) => {
    if (chain === 'wrong') return false
    return head ? !isStuck(service, head) : answersUs(activeHealth, nowMs)
  })
}

function isStuck({ pool, network }: NetworkService, head: Upstream['head']): boolean {
  if (!head || head.number >= (pool.selection.head?.number ?? 0)) return false
  const stuckMs = Math.max(STUCK_MS_MIN, network.blockTimeMs * STUCK_BLOCKS)
  return pool.clock.monotonicMs() - head.advancedAtMs > stuckMs
}
