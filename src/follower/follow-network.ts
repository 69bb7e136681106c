import { openBackoff } from '../core/async/backoff.ts'
import { openWakeableSleep, type WakeableSleep } from '../core/async/wakeable-sleep.ts'
import { within } from '../core/async/within.ts'
import { errorText } from '../core/errors.ts'
import type { World } from '../ports/world.ts'
import type { RecordedEvent } from '../tables/chain/chain-events.ts'
import { lastSequence, readChain } from '../tables/chain/chain-tail.ts'
import type { KnownNumbers } from '../tables/chain/known-numbers.ts'
import type { NetworkService } from '../upstream/answers/ask-network.ts'
import { backOff, bestNews } from '../upstream/follow/chain-state.ts'
import { followHead } from './follow-head.ts'
import type { FollowerState } from './follower-state.ts'
import type { NetworkLeases } from './network-leases.ts'
import { openProgressWatch } from './progress-watch.ts'
import type { StandingQueries } from './standing-queries.ts'

type Shared = {
  standing: StandingQueries
  known: Pick<KnownNumbers, 'restore'>
  leases: NetworkLeases
  /** Called after the commit of an event that brought something to webhooks. */
  committed(event: RecordedEvent): void
}

export type Follower = ReturnType<typeof followNetwork>

/** Heads are checked this often without news, for what time alone changes: votes and leases. */
const CHECK_EVERY_MS = 1_000
const FAILURE_BACKOFF = { minMs: 100, maxMs: 5_000 }
/** A commit takes milliseconds. Reading a block is given up: nothing is lost by that. */
const STOP_MS_MAX = 2_000

/**
 * Follows one network's canonical chain for as long as it is served: each block becomes one
 * event, in order. Heads are hints; what is stored decides where it goes on.
 */
export function followNetwork(world: World, shared: Shared, service: NetworkService) {
  const { clock } = world
  const idle = openWakeableSleep(clock)
  const state: FollowerState = {
    world,
    service,
    tail: [],
    sequenceNumber: null,
    finalized: null,
    isLoaded: false,
    mayDiffer: false,
    isStopped: false,
    commit: null,
    backedOffUntilMs: new Map(),
    lastAlarmHash: null,
    standing: shared.standing,
    committed: shared.committed,
    mayCommit: () => !state.isStopped && lease.held(),
  }
  const lease = shared.leases.hold(service.network.id, {
    canFollow: () => service.heads.latest().length > 0,
    renewed(isGained) {
      state.mayDiffer = true
      if (isGained) idle.wake()
    },
  })
  const unsubscribe = service.heads.subscribe(() => {
    lease.headSeen()
    idle.wake()
  })
  const progress = openProgressWatch(world, service.network, {
    tip: () => state.tail.at(-1)?.number ?? null,
    head: () => service.pool.selection.head?.number ?? null,
    isOurs: state.mayCommit,
  })
  const removeGauges = addGauges(state)
  void followUntilStopped(state, idle, shared.known)

  return {
    /** The last block; null before the first. */
    status: () => statusOf(state),
    isBehind: progress.isBehind,
    /** Finishes a commit under way, starts nothing new. */
    async stop() {
      state.isStopped = true
      progress.stop()
      unsubscribe()
      removeGauges()
      idle.close()
      const committed = state.commit?.catch(() => {}) ?? Promise.resolve()
      await within(clock, STOP_MS_MAX, committed, () => {})
      await lease.release()
    },
  }
}

async function followUntilStopped(
  state: FollowerState,
  idle: WakeableSleep,
  known: Shared['known'],
): Promise<void> {
  const backoff = openBackoff(FAILURE_BACKOFF)
  while (!state.isStopped) {
    try {
      await followHeads(state, known)
      backoff.reset()
      await idle.sleep(CHECK_EVERY_MS)
    } catch (thrown) {
      // The store may be closed by now.
      if (state.isStopped) return
      reportFailure(state, thrown)
      // The store may have moved although it could not say so.
      state.isLoaded = false
      await idle.pause(backoff.nextMs())
    }
  }
}

function statusOf({ tail, sequenceNumber }: FollowerState) {
  const tip = tail.at(-1)
  if (!tip || sequenceNumber === null) return null
  return { number: tip.number, hash: tip.hash, sequenceNumber }
}

async function followHeads(state: FollowerState, known: Shared['known']): Promise<void> {
  if (!state.mayCommit()) {
    state.isLoaded = false
    return
  }
  if (!state.isLoaded || !(await isAsStored(state))) await load(state, known)
  for (let news = bestNews(state); news; news = bestNews(state)) {
    const { hash } = news.header
    const progress = await followHead(state, news)
    if (!state.mayCommit() || !state.isLoaded) return
    if (progress !== 'advanced') backOff(state, hash)
  }
}

/** Another process may have moved the chain; without a commit of our own nothing tells us. */
async function isAsStored(state: FollowerState): Promise<boolean> {
  if (!state.mayDiffer) return true
  state.mayDiffer = false
  const { world, service, sequenceNumber } = state
  return (await lastSequence(world.database, service.network.id)) === sequenceNumber
}

async function load(state: FollowerState, known: Shared['known']): Promise<void> {
  await known.restore()
  const stored = await readChain(state.world.database, state.service.network.id)
  state.tail = stored?.headers ?? []
  state.sequenceNumber = stored?.sequenceNumber ?? null
  state.finalized = stored?.finalized ?? null
  state.isLoaded = true
}

function reportFailure({ world, service }: FollowerState, thrown: unknown): void {
  const { telemetry } = world
  const network = service.network.id
  telemetry.log('warn', 'follower_error', { network, reason: errorText(thrown) })
  telemetry.count('headgate_follower_errors_total', { network })
}

function addGauges(state: FollowerState): () => void {
  const { telemetry } = state.world
  const { network, pool } = state.service
  const labels = { network: network.id }
  const tip = () => state.tail.at(-1)?.number ?? 0
  const forget = [
    telemetry.gauge('headgate_follower_block', labels, tip),
    telemetry.gauge('headgate_follower_lag_blocks', labels, () =>
      Math.max(0, (pool.selection.head?.number ?? 0) - tip()),
    ),
  ]
  return () => forget.forEach((one) => void one())
}
