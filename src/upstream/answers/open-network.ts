import type { Network } from '../../core/network.ts'
import { openMethodRegistry, type PriceOverrides } from '../../core/rpc/method-registry.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Outbound } from '../../ports/outbound.ts'
import type { Sockets } from '../../ports/sockets.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { watchUpstreams } from '../heads/watch-upstreams.ts'
import { newUpstream } from '../node/upstream.ts'
import { openUpstreamPool, requestAny } from '../pool/upstream-pool.ts'
import { openAnswerCache } from './answer-cache.ts'
import type { NetworkService } from './ask-network.ts'

type Needs = { clock: Clock; outbound: Outbound; sockets: Sockets; telemetry: Telemetry }

export type NetworkSettings = {
  prices: PriceOverrides
  cacheBytesMax: number
  latestMaxAgeMs: number
}

export type OpenNetwork = NetworkService & {
  /** Resolves when each upstream was asked for its chain and head once. */
  ready: Promise<void>
  stop(): void
}

/** Starts serving one network: its upstreams, its caches and the watch over its heads. */
export function openNetwork(
  needs: Needs,
  network: Network,
  { prices, cacheBytesMax, latestMaxAgeMs }: NetworkSettings,
): OpenNetwork {
  const { clock } = needs
  const upstreams = network.upstreams.map((spec) => newUpstream(needs.outbound, spec, network.kind))
  const watch = watchUpstreams(needs, network, upstreams)
  const pool = openUpstreamPool(clock, network, watch.selection)
  return {
    network,
    request: (call) => requestAny(pool, call),
    methods: openMethodRegistry(network.kind, { ...network, prices }),
    pool,
    ...openAnswerCache(clock, cacheBytesMax, latestMaxAgeMs),
    heads: watch.heads,
    pollNow: watch.pollNow,
    ready: watch.firstRound,
    stop: watch.stop,
  }
}
