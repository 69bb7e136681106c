import { coalesced } from '../../core/async/coalesced.ts'
import type { World } from '../../ports/world.ts'
import {
  type Fence,
  joinCouriers,
  leaveCouriers,
  liveCouriers,
  releaseShards,
  renewLease,
  SHARDS,
  shardOf,
  takeShards,
} from '../../tables/deliveries/shards.ts'

type Options = {
  /** The name of this courier. An earlier life of the same name is fenced. */
  name: string
  settings: { timeoutMs: number }
  taken(shards: ReadonlySet<number>): void
  renewed(): void
  /** Gives up what is not ours any more; the shards of which something is still in flight. */
  withdraw(): ReadonlySet<number>
  /** Nothing is ours any more, and nothing of what is in flight will count. */
  lost(): void
  failed(thrown: unknown): void
}

/** A renewal that was asked for: the lease is counted from then, once it is granted. */
export type LeaseRequest = { fence: Fence; granted(): void }

/**
 * The lease under which this courier owns shards, each with all webhooks in it. Nothing is
 * claimed delivery by delivery: the owner alone reads, sends and settles them.
 */
export type ShardLease = ReturnType<typeof openShardLease>

/** The lease outlasts an attempt by this, and is renewed well before that has passed. */
export const MARGIN_MS = 5000
export const RENEW_EVERY_MS = 3000

/** Processes tell each other that shards are wanted or free. */
const TOPIC = 'couriers'

type State = {
  world: World
  options: Options
  /** Null while we own nothing. */
  token: number | null
  /** The lease lapses when either clock says so. */
  until: { wallMs: number; monotonicMs: number }
  owned: ReadonlySet<number>
  /** Owned shards that others are to have, once nothing of them is in flight. */
  draining: ReadonlySet<number>
  /** Shards were asked for or released, and the answer was lost. */
  isUnsure: boolean
}

export function openShardLease(world: World, options: Options) {
  const { clock, database, signals, telemetry } = world
  const state: State = {
    world,
    options,
    token: null,
    until: { wallMs: 0, monotonicMs: 0 },
    owned: new Set(),
    draining: new Set(),
    isUnsure: false,
  }
  let hasLeft = false

  const maintain = coalesced(async () => {
    if (hasLeft) return
    const token = state.token === null ? await join(state) : await renew(state)
    if (token !== null) await rebalance(state, token)
    if (state.token !== null) options.renewed()
  }, options.failed)
  const ends = [
    clock.every(RENEW_EVERY_MS, maintain.ask),
    signals.subscribe(TOPIC, maintain.ask),
    telemetry.gauge('headgate_courier_shards', {}, () => state.owned.size),
  ]
  maintain.ask()

  return {
    owns: (webhook: number) => serves(state, shardOf(webhook)),
    /** The shards whose webhooks we send for. */
    served: () => new Set([...state.owned].filter((shard) => serves(state, shard))),
    outlastsAttempt() {
      const { token, until } = state
      // By both clocks: one may be set, the other may stand still while the machine sleeps.
      const wallMs = until.wallMs - clock.nowMs()
      const leftMs = Math.min(wallMs, until.monotonicMs - clock.monotonicMs())
      const outlasts = token !== null && leftMs > options.settings.timeoutMs
      // One that is lost is not begun anew before the next renewal: two couriers of one name
      // would fence each other all the time.
      if (!outlasts && token !== null) maintain.ask()
      return outlasts
    },
    renewing: () => request(state, state.token ?? 0),
    /** The store reported that another courier has our shards. */
    fenced: () => lose(state),
    /** Something was settled: a shard that is given up may be free. */
    settled() {
      if (state.draining.size > 0) maintain.ask()
    },
    /** Lets others have the shards at once. Everything in flight must be settled. */
    async leave() {
      hasLeft = true
      await maintain.idle()
      if (state.token === null) return
      await leaveCouriers(database, request(state, state.token).fence)
      signals.publish(TOPIC, '')
    },
    stop() {
      hasLeft = true
      for (const end of ends) end()
    },
  }
}

/**
 * The lease is counted from now, however late the answer comes. Answers may overtake each
 * other; the store keeps the later end of the lease, and so do we.
 */
function request(state: State, token: number): LeaseRequest {
  const { clock } = state.world
  const { name, settings } = state.options
  const leaseMs = settings.timeoutMs + MARGIN_MS
  const until = { wallMs: clock.nowMs() + leaseMs, monotonicMs: clock.monotonicMs() + leaseMs }
  const granted = () => {
    // Not earlier: this clock may have stood still since, while the machine slept.
    const isLast = until.monotonicMs >= state.until.monotonicMs
    if (state.token === token && isLast) state.until = until
  }
  return { fence: { courier: name, token, untilMs: until.wallMs }, granted }
}

/** The token of the new life. */
async function join(state: State): Promise<number> {
  const { clock, database, signals } = state.world
  const { fence } = request(state, 0)
  const monotonicMs = clock.monotonicMs() + fence.untilMs - clock.nowMs()
  const token = await joinCouriers(database, fence.courier, clock.nowMs(), fence.untilMs)
  state.token = token
  state.until = { wallMs: fence.untilMs, monotonicMs }
  signals.publish(TOPIC, '')
  return token
}

/** Null when the lease is lost. */
async function renew(state: State): Promise<number | null> {
  const token = state.token ?? 0
  const lease = request(state, token)
  const isRenewed = await renewLease(state.world.database, lease.fence)
  if (state.token !== token) return null
  if (!isRenewed) {
    lose(state)
    return null
  }
  lease.granted()
  return token
}

function lose(state: State): void {
  const { telemetry } = state.world
  state.token = null
  state.owned = new Set()
  state.draining = new Set()
  telemetry.log('warn', 'courier_fenced', { courier: state.options.name })
  telemetry.count('headgate_courier_fenced_total', {})
  state.options.lost()
}

async function rebalance(state: State, token: number): Promise<void> {
  const { clock, database } = state.world
  const live = await liveCouriers(database, clock.nowMs())
  const wanted = Math.ceil(SHARDS / Math.max(1, live))
  if (state.isUnsure || state.owned.size < wanted) {
    state.isUnsure = true
    const { fence } = request(state, token)
    const shards = await takeShards(database, fence, clock.nowMs(), wanted)
    if (state.token !== token) return
    keep(state, shards, wanted)
    state.isUnsure = false
  } else if (state.token === token) keep(state, [...state.owned], wanted)
  if (state.draining.size > 0) await release(state, token)
}

/** Notes that these shards are ours, and serves as many as are wanted. */
function keep(state: State, shards: readonly number[], wanted: number): void {
  const before = new Set(shards.filter((shard) => serves(state, shard)))
  // Shards that others were to have already are the first to go.
  const ordered = shards.toSorted((a, b) => Number(before.has(b)) - Number(before.has(a)))
  const owned = new Set(shards)
  const isLess = [...state.owned].some((shard) => !owned.has(shard))
  state.owned = owned
  state.draining = new Set(ordered.slice(wanted))
  if (isLess) state.options.withdraw()
  const added = new Set(ordered.slice(0, wanted).filter((shard) => !before.has(shard)))
  if (added.size > 0) state.options.taken(added)
}

async function release(state: State, token: number): Promise<void> {
  const busy = state.options.withdraw()
  const free = [...state.draining].filter((shard) => !busy.has(shard))
  if (free.length === 0) return
  state.isUnsure = true
  await releaseShards(state.world.database, request(state, token).fence, free)
  if (state.token !== token) return
  state.isUnsure = false
  state.owned = new Set([...state.owned].filter((shard) => !free.includes(shard)))
  state.draining = new Set([...state.draining].filter((shard) => state.owned.has(shard)))
  state.world.signals.publish(TOPIC, '')
}

function serves({ owned, draining }: State, shard: number): boolean {
  return owned.has(shard) && !draining.has(shard)
}
