import type { Network } from '../../core/network.ts'
import type { Outbound } from '../../ports/outbound.ts'
import type { SpendRegistry } from '../spend/spend-registry.ts'
import { newUpstream, type Upstream } from './upstream.ts'

export type UpstreamNeeds = {
  outbound: Outbound
  /** Absent: upstreams have no budgets. */
  spends?: Pick<SpendRegistry, 'of'>
}

/** The clients of a network's upstreams: nodes that are read from, and relays for sends alone. */
export function openUpstreams(
  { outbound, spends }: UpstreamNeeds,
  { id, kind, upstreams }: Network,
): { nodes: Upstream[]; relays: Upstream[] } {
  const all = upstreams.map((spec) =>
    newUpstream(outbound, spec, kind, spends?.of(id, spec) ?? null),
  )
  return {
    nodes: all.filter(({ spec }) => spec.sendsOnly !== true),
    relays: all.filter(({ spec }) => spec.sendsOnly === true),
  }
}
