import type { Network } from '../../core/network.ts'
import { openMethodRegistry, type PriceOverrides } from '../../core/rpc/method-registry.ts'
import type { BlockProver } from '../../ports/block-prover.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Outbound } from '../../ports/outbound.ts'
import type { Signals } from '../../ports/signals.ts'
import type { Sockets } from '../../ports/sockets.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { observeUpstreams, watchUpstreams } from '../heads/watch-upstreams.ts'
import { openLogReads } from '../logs/log-service.ts'
import { newUpstream } from '../node/upstream.ts'
import type { UpstreamPool } from '../pool/routed-request.ts'
import { openSelection } from '../pool/selection.ts'
import { drainQueues, openUpstreamPool } from '../pool/upstream-pool.ts'
import { openQuorum } from '../quorum/open-quorum.ts'
import type { SpendRegistry } from '../spend/spend-registry.ts'
import { openAnswerCache } from './answer-cache.ts'
import type { NetworkService } from './ask-network.ts'
import { openBlockVerifying } from './block-verifying.ts'
import { receiveChainNews } from './note-height-shown.ts'

export type NetworkDrivers = {
  clock: Clock
  telemetry: Telemetry
  signals: Signals
  outbound: Outbound
  sockets: Sockets
  /** Absent where proofs may take the time of this thread. */
  prover?: BlockProver
  /** Absent: upstreams have no budgets. */
  spends?: SpendRegistry
  /** Another process of this machine watches the upstreams, and reports what it observes. */
  isObserver?: boolean
}

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

/** A call that waits for the next second's requests waits hardly longer than it must. */
const DRAIN_EVERY_MS = 20

export function openNetwork(
  world: NetworkDrivers,
  network: Network,
  { prices, cacheBytesMax, latestMaxAgeMs }: NetworkSettings,
): OpenNetwork {
  const { clock, telemetry, signals, outbound, prover, spends } = world
  const upstreams = network.upstreams.map((spec) =>
    newUpstream(outbound, spec, network.kind, spends?.of(network.id, spec) ?? null),
  )
  const nodes = upstreams.filter(({ spec }) => spec.sendsOnly !== true)
  const relays = upstreams.filter(({ spec }) => spec.sendsOnly === true)
  const selection = openSelection(clock, network, nodes)
  const watch = (world.isObserver ? observeUpstreams : watchUpstreams)(world, selection)
  const pool = openUpstreamPool(clock, network, selection, relays)
  const stopDraining = drainPaced(pool)
  const { heads, pollNow, firstRound: ready } = watch
  const service: NetworkService = {
    network,
    telemetry,
    quorum: openQuorum(telemetry, pool),
    logReads: openLogReads(clock),
    verifying: openBlockVerifying(network, prover),
    methods: openMethodRegistry(network.kind, { ...network, prices }),
    pool,
    ...openAnswerCache(clock, cacheBytesMax, latestMaxAgeMs),
    heads,
    pollNow,
    signals,
  }
  const unsubscribe = receiveChainNews(service)
  const stop = () => {
    unsubscribe()
    stopDraining()
    watch.stop()
  }
  return { ...service, ready, stop }
}

/**
 * Launches calls that wait because upstreams are at their limit of requests a second: there need
 * be no call in flight whose end would do it. Returns how to stop.
 */
function drainPaced(pool: UpstreamPool): () => void {
  const isPaced = pool.network.upstreams.some(({ budget }) => budget?.requestsPerSecond)
  if (!isPaced) return () => {}
  return pool.clock.every(DRAIN_EVERY_MS, () => {
    if (pool.queue.length > 0 || pool.shareQueues.length > 0) drainQueues(pool)
  })
}
