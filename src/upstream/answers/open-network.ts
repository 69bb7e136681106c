import type { Network } from '../../core/network.ts'
import { openMethodRegistry, type PriceOverrides } from '../../core/rpc/method-registry.ts'
import type { BlockProver } from '../../ports/block-prover.ts'
import type { Outbound } from '../../ports/outbound.ts'
import { openUpstreamWatch, type WatchNeeds } from '../heads/open-upstream-watch.ts'
import type { ChainNews } from '../heads/shared-watch.ts'
import type { UpstreamWatch } from '../heads/watch-upstreams.ts'
import { newUpstream } from '../node/upstream.ts'
import { openUpstreamPool, requestAny } from '../pool/upstream-pool.ts'
import { openAnswerCache } from './answer-cache.ts'
import { hearChainNews, type NetworkService } from './ask-network.ts'
import { openBlockVerifying } from './block-verifying.ts'

export type NetworkNeeds = WatchNeeds & {
  outbound: Outbound
  /** Absent where it may take the time of this thread. */
  prover?: BlockProver
}

export type NetworkSettings = {
  prices: PriceOverrides
  cacheBytesMax: number
  latestMaxAgeMs: number
}

export type OpenNetwork = NetworkService &
  Pick<UpstreamWatch, 'observations' | 'subscribeToObservations' | 'noteThrottled'> & {
    /** Resolves when each upstream was asked for its chain and head once. */
    ready: Promise<void>
    stop(): void
  }

/** Starts serving one network: its upstreams, its caches and the watch over its heads. */
export function openNetwork(
  needs: NetworkNeeds,
  network: Network,
  { prices, cacheBytesMax, latestMaxAgeMs }: NetworkSettings,
): OpenNetwork {
  const { clock, shared } = needs
  const upstreams = network.upstreams.map((spec) => newUpstream(needs.outbound, spec, network.kind))
  const watch = openUpstreamWatch(needs, network, upstreams)
  const pool = openUpstreamPool(clock, network, watch.selection)
  const { heads, pollNow, firstRound: ready, ...seen } = watch
  const { observations, subscribeToObservations, noteThrottled } = seen
  const request: NetworkService['request'] = (call) => requestAny(pool, call)
  const service = {
    network,
    request,
    methods: openMethodRegistry(network.kind, { ...network, prices }),
    pool,
    ...openAnswerCache(clock, cacheBytesMax, latestMaxAgeMs),
    heads,
    verifying: openBlockVerifying(network, needs.prover),
    pollNow,
    tellOthers: shared ? (news: ChainNews) => shared.tell(network.id, news) : null,
  }
  const unsubscribe = shared?.subscribeToNews(network.id, (news) => hearChainNews(service, news))
  const stop = () => {
    unsubscribe?.()
    watch.stop()
  }
  return { ...service, ready, observations, subscribeToObservations, noteThrottled, stop }
}
