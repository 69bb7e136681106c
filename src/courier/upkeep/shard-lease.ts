import type { Clock } from '../../ports/clock.ts'
import type { Database } from '../../ports/database.ts'
import type { Signals } from '../../ports/signals.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
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
import { inTurn } from '../in-turn.ts'

type Needs = {
  clock: Clock
  database: Database
  signals: Signals
  telemetry: Telemetry
  /** What this courier is called. An earlier life of the same name is fenced. */
  name: string
  settings: { timeoutMs: number }
  /** These shards are ours now. */
  taken(shards: ReadonlySet<number>): void
  /** The lease was renewed. */
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
export type ShardLease = {
  owns(webhook: number): boolean
  /** It lasts longer than an attempt that starts now. */
  outlastsAttempt(): boolean
  renewing(): LeaseRequest
  /** The store told that another has our shards. */
  fenced(): void
  /** Something was settled: a shard that is given up may be free. */
  settled(): void
  /** Lets others have the shards at once. Everything in flight must be settled. */
  leave(): Promise<void>
  stop(): void
}

/** The lease outlasts an attempt by this, and is renewed well before that has passed. */
const MARGIN_MS = 5000
const RENEW_EVERY_MS = 3000

/** Processes tell each other that shards are wanted or free. */
const TOPIC = 'couriers'

type State = {
  /** Null while we own nothing. */
  token: number | null
  /** The lease lapses when either clock says so. */
  until: { wallMs: number; monotonicMs: number }
  owned: ReadonlySet<number>
  /** Those of the owned that others are to have, once nothing of them is in flight. */
  draining: Set<number>
}

export function openShardLease(needs: Needs): ShardLease {
  const { clock, database, signals, telemetry } = needs
  const state: State = {
    token: null,
    until: { wallMs: 0, monotonicMs: 0 },
    owned: new Set(),
    draining: new Set(),
  }
  let hasLeft = false

  const maintain = inTurn(async () => {
    if (hasLeft) return
    const token = state.token === null ? await join(needs, state) : await renew(needs, state)
    if (token !== null) await rebalance(needs, state, token)
    if (state.token === null) maintain.ask()
    else needs.renewed()
  }, needs.failed)
  const ends = [
    clock.every(RENEW_EVERY_MS, maintain.ask),
    signals.subscribe(TOPIC, maintain.ask),
    telemetry.gauge('headgate_courier_shards', {}, () => state.owned.size),
  ]
  maintain.ask()

  return {
    owns(webhook) {
      const shard = shardOf(webhook)
      return state.owned.has(shard) && !state.draining.has(shard)
    },
    outlastsAttempt() {
      const { token, until } = state
      // By both clocks: one may be set, the other may stand still while the machine sleeps.
      const wallMs = until.wallMs - clock.nowMs()
      const leftMs = Math.min(wallMs, until.monotonicMs - clock.monotonicMs())
      const outlasts = token !== null && leftMs > needs.settings.timeoutMs
      if (!outlasts) maintain.ask()
      return outlasts
    },
    renewing: () => request(needs, state, state.token ?? 0),
    fenced() {
      lose(needs, state)
      maintain.ask()
    },
    settled() {
      if (state.draining.size > 0) maintain.ask()
    },
    async leave() {
      hasLeft = true
      await maintain.rest()
      if (state.token === null) return
      await leaveCouriers(database, request(needs, state, state.token).fence)
      signals.publish(TOPIC, '')
    },
    stop() {
      hasLeft = true
      for (const end of ends) end()
    },
  }
}

/** What is granted is counted from now, however late the answer comes. */
function request({ name, clock, settings }: Needs, state: State, token: number): LeaseRequest {
  const leaseMs = settings.timeoutMs + MARGIN_MS
  const until = { wallMs: clock.nowMs() + leaseMs, monotonicMs: clock.monotonicMs() + leaseMs }
  const granted = () => {
    if (state.token === token) state.until = until
  }
  return { fence: { courier: name, token, untilMs: until.wallMs }, granted }
}

/** The token of the new life. */
async function join(needs: Needs, state: State): Promise<number> {
  const { name, clock, database, signals } = needs
  const { fence } = request(needs, state, 0)
  const monotonicMs = clock.monotonicMs() + fence.untilMs - clock.nowMs()
  const token = await joinCouriers(database, name, clock.nowMs(), fence.untilMs)
  state.token = token
  state.until = { wallMs: fence.untilMs, monotonicMs }
  signals.publish(TOPIC, '')
  return token
}

/** Null when the lease is lost. */
async function renew(needs: Needs, state: State): Promise<number | null> {
  const token = state.token ?? 0
  const lease = request(needs, state, token)
  const isRenewed = await renewLease(needs.database, lease.fence)
  if (state.token !== token) return null
  if (!isRenewed) {
    lose(needs, state)
    return null
  }
  lease.granted()
  return token
}

function lose({ name, telemetry, lost }: Needs, state: State): void {
  state.token = null
  state.owned = new Set()
  state.draining.clear()
  telemetry.log('warn', 'courier_fenced', { courier: name })
  telemetry.count('headgate_courier_fenced_total', {})
  lost()
}

/** Every live courier is to have its share of the shards. */
async function rebalance(needs: Needs, state: State, token: number): Promise<void> {
  const live = await liveCouriers(needs.database, needs.clock.nowMs())
  if (state.token !== token) return
  const { owned, draining } = state
  const wanted = Math.ceil(SHARDS / Math.max(1, live))
  const kept = [...owned].filter((shard) => !draining.has(shard))
  if (kept.length < wanted) return take(needs, state, token, wanted)
  for (const shard of kept.slice(wanted)) draining.add(shard)
  if (draining.size > 0) await release(needs, state, token)
}

async function take(needs: Needs, state: State, token: number, wanted: number): Promise<void> {
  const { fence } = request(needs, state, token)
  const shards = new Set(await takeShards(needs.database, fence, needs.clock.nowMs(), wanted))
  if (state.token !== token) return
  const { owned, draining } = state
  // Those we have are always among them, unless we are fenced.
  if (shards.size < owned.size) return lose(needs, state)
  const added = new Set([...shards].filter((shard) => !owned.has(shard) || draining.has(shard)))
  state.owned = shards
  draining.clear()
  if (added.size > 0) needs.taken(added)
}

async function release(needs: Needs, state: State, token: number): Promise<void> {
  const busy = needs.withdraw()
  const free = [...state.draining].filter((shard) => !busy.has(shard))
  if (free.length === 0) return
  await releaseShards(needs.database, request(needs, state, token).fence, free)
  if (state.token !== token) return
  state.owned = new Set([...state.owned].filter((shard) => !free.includes(shard)))
  for (const shard of free) state.draining.delete(shard)
  needs.signals.publish(TOPIC, '')
}
