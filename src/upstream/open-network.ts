import type { Network } from '../core/network.ts'
import { openMethodBook, type PriceOverrides } from '../core/rpc/methods.ts'
import type { Clock } from '../ports/clock.ts'
import type { Outbound } from '../ports/outbound.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { openAnswerCaches } from './answer-caches.ts'
import type { NetworkService } from './ask-network.ts'
import { gaugeUpstreams } from './gauge-upstreams.ts'
import { pollOnce, watchHeads } from './head-watcher.ts'
import { openSelection } from './selection.ts'
import { newUpstream } from './upstream.ts'
import { openUpstreamPool, requestAny } from './upstream-pool.ts'

type Needs = { clock: Clock; outbound: Outbound; telemetry: Telemetry }

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

/** However many answers hint at a new block, upstreams are asked at most so often. */
const POKE_EVERY_MS_MIN = 100

/** Starts serving one network: its upstreams, its caches and the watch over its heads. */
export function openNetwork(
  needs: Needs,
  network: Network,
  settings: NetworkSettings,
): OpenNetwork {
  const { clock } = needs
  const upstreams = network.upstreams.map((spec) => newUpstream(needs.outbound, spec, network.kind))
  const selection = openSelection(clock, network, upstreams)
  const watching = { ...needs, network, selection }
  const watcher = watchHeads(watching)
  let resting = false
  let wanted = false

  const poke = () => {
    wanted = resting
    if (resting) return
    resting = true
    clock.after(POKE_EVERY_MS_MIN, () => {
      resting = false
      if (wanted) poke()
    })
    for (const upstream of upstreams) {
      if (selection.stateOf.get(upstream) === 'used') void pollOnce(watching, upstream)
    }
  }

  const pool = openUpstreamPool(clock, network, selection)
  const forgetGauges = gaugeUpstreams(needs.telemetry, selection)
  return {
    network,
    request: (call) => requestAny(pool, call),
    book: openMethodBook(network.kind, settings.prices),
    pool,
    ...openAnswerCaches(clock, settings.cacheBytesMax, settings.latestMaxAgeMs),
    poke,
    ready: watcher.firstRound,
    stop() {
      watcher.stop()
      forgetGauges()
    },
  }
}
