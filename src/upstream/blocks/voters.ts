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
  const { pool, network } = service
  const nowMs = pool.clock.monotonicMs()
  const stuckMs = Math.max(STUCK_MS_MIN, network.blockTimeMs * STUCK_BLOCKS)
  const tip = pool.selection.head?.number ?? 0
  return voters(service)
    .map(({ head }) => head)
    .filter((head) => !head || head.number >= tip || nowMs - head.advancedAtMs <= stuckMs)
}
