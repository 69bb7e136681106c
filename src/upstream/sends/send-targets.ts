import type { Method } from '../../core/rpc/method-registry.ts'
import type { Upstream } from '../node/upstream.ts'
import type { PoolCall, UpstreamPool } from '../pool/routed-request.ts'
import { hasCreditsFor, isFull, pick, TIER_MAX } from '../pool/selection.ts'

/** Calls that put something on the chain, or take it back; relays are there for these alone. */
const SENDS = /^(?:eth_(?:send|cancel)|sendTransaction$)/

/** True for a call that a private relay gets, and nobody else, where there is one. */
export function isRelayed({ relays }: UpstreamPool, { name, safety }: Method): boolean {
  return relays.length > 0 && safety !== 'read' && SENDS.test(name)
}

/** The best upstream for a send that was not asked yet; null when none is left. */
export function nextTarget(
  pool: UpstreamPool,
  call: PoolCall,
  tried: readonly Upstream[],
): Upstream | null {
  const { selection, relays } = pool
  if (relays.length === 0) {
    const good = pick(selection, call, tried, TIER_MAX.good)
    return good ?? pick(selection, call, tried, TIER_MAX.any)
  }
  const nowMs = pool.clock.monotonicMs()
  const free = relays.filter(
    (relay) => !tried.includes(relay) && hasCreditsFor(relay, false) && !isFull(relay, call),
  )
  const [best] = free.toSorted(
    (a, b) => troubleOf(a, nowMs) - troubleOf(b, nowMs) || a.spec.priority - b.spec.priority,
  )
  return best ?? null
}

/** Relays are not polled, so that only the sends before tell how they do. */
function troubleOf({ throttledUntilMs, failuresInARow }: Upstream, nowMs: number): number {
  if (throttledUntilMs > nowMs) return 2
  return failuresInARow > 0 ? 1 : 0
}
