import type { NetworkService } from '../answers/ask-network.ts'
import { answersUs } from '../node/active-health.ts'
import type { Upstream } from '../node/upstream.ts'

/** Behind the others and without a new head for so long, an upstream has no say any more. */
const STUCK_MS_MIN = 60_000
const STUCK_BLOCKS = 8

/**
 * Those whose word counts when upstreams differ about the chain, used or not: all that answer
 * us. Calls have no say in that, else a caller could decide who votes.
 */
export function voters({ pool: { selection, clock } }: NetworkService): Upstream[] {
  const nowMs = clock.monotonicMs()
  return selection.upstreams.filter(
    ({ chain, activeHealth: own }) => chain !== 'wrong' && answersUs(own, nowMs),
  )
}

/** Where the voters stand; null for one that has not said yet. */
export function votersHeads(service: NetworkService): Upstream['head'][] {
  const { pool, network } = service
  const nowMs = pool.clock.monotonicMs()
  const stuckMs = Math.max(STUCK_MS_MIN, network.blockTimeMs * STUCK_BLOCKS)
  const tip = pool.selection.head?.number ?? 0
  return voters(service)
    .map(({ head }) => head)
    .filter((head) => !head || head.number >= tip || nowMs - head.advancedAtMs <= stuckMs)
}
