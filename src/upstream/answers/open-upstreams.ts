import type { Network } from '../../core/network.ts'
import type { Outbound } from '../../ports/outbound.ts'
import { newUpstream, type Upstream } from '../node/upstream.ts'
import type { SpendRegistry } from '../spend/spend-registry.ts'

export type UpstreamNeeds = {
  outbound: Outbound
  /** Absent: upstreams have no budgets. */
  spends?: Pick<SpendRegistry, 'of'>
}

/** The upstreams of a network, of which nothing is known yet but what they have cost. */
export function openUpstreams({ outbound, spends }: UpstreamNeeds, network: Network): Upstream[] {
  return network.upstreams.map((spec) =>
    newUpstream(outbound, spec, network.kind, spends?.of(network.id, spec) ?? null),
  )
}
