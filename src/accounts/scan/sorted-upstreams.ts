import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import type { Upstream } from '../../upstream/node/upstream.ts'

/**
 * sorts: its records come in the order of their keys, so they can be passed on as they come.
 * odd: they do not, or it cuts its answers into pages: all is gathered before any is passed on.
 */
type SortOrder = 'sorts' | 'odd'

/** In order by chance, so many records are one case in 10^13. */
const PROOF_RECORDS_MIN = 16

const orders = new WeakMap<Upstream, SortOrder>()

export function upstreamNamed(service: NetworkService, name: string): Upstream | null {
  return service.pool.selection.upstreams.find(({ spec }) => spec.name === name) ?? null
}

export function isSortedUpstream(upstream: Upstream | null): boolean {
  return upstream !== null && orders.get(upstream) === 'sorts'
}

/** Kept for as long as the upstream is: gathering first is slower, and never wrong. */
export function markUpstreamUnsorted(upstream: Upstream | null): void {
  if (upstream) orders.set(upstream, 'odd')
}

export function markUpstreamSorted(upstream: Upstream | null, records: number): void {
  if (!upstream || orders.has(upstream) || records < PROOF_RECORDS_MIN) return
  orders.set(upstream, 'sorts')
}
