import type { Network } from '../../core/network.ts'
import { openMethodRegistry, type PriceOverrides } from '../../core/rpc/method-registry.ts'
import { openUpstreamWatch, type WatchNeeds } from '../heads/open-upstream-watch.ts'
import type { UpstreamWatch } from '../heads/watch-upstreams.ts'
import { openUpstreams, type UpstreamNeeds } from '../node/open-upstreams.ts'
import { drainPaced } from '../pool/drain-paced.ts'
import { openUpstreamPool, requestAny } from '../pool/upstream-pool.ts'
import { openAnswerCache } from './answer-cache.ts'
import type { NetworkService } from './ask-network.ts'
import { openReads, type ReadNeeds } from './ask-upstreams.ts'
import { hearChainNews } from './note-height-shown.ts'

export type NetworkNeeds = ReadNeeds & UpstreamNeeds & WatchNeeds

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
  const { nodes, relays } = openUpstreams(needs, network)
  const watch = openUpstreamWatch(needs, network, nodes)
  const pool = openUpstreamPool(clock, network, watch.selection, relays)
  const stopDraining = drainPaced(clock, pool)
  const { heads, pollNow, firstRound: ready, ...seen } = watch
  const { observations, subscribeToObservations, noteThrottled } = seen
  const service: NetworkService = {
    network,
    request: (call) => requestAny(pool, call),
    ...openReads(needs, pool),
    methods: openMethodRegistry(network.kind, { ...network, prices }),
    pool,
    ...openAnswerCache(clock, cacheBytesMax, latestMaxAgeMs),
    heads,
    pollNow,
    tellOthers: shared ? (news) => shared.tell(network.id, news) : null,
  }
  const unsubscribe = shared?.subscribeToNews(network.id, (news) => hearChainNews(service, news))
  const stop = () => {
    unsubscribe?.()
    stopDraining()
    watch.stop()
  }
  return { ...service, ready, observations, subscribeToObservations, noteThrottled, stop }
}
