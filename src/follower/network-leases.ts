import { coalesced } from '../core/async/coalesced.ts'
import type { World } from '../ports/world.ts'
import { countOthers, standBy, standDown } from '../tables/chain/followers.ts'
import { readLeases, releaseLease, takeLeases } from '../tables/sql/leases.ts'
import { type SharedNetwork, shareNetworks } from './share-networks.ts'

export type NetworkLeases = ReturnType<typeof openNetworkLeases>

export type NetworkLease = ReturnType<NetworkLeases['hold']>

type Candidate = {
  /** The network's nodes tell it of blocks. */
  canFollow(): boolean
  /** Told each time the lease is renewed, and whether it was not held before. */
  renewed(isGained: boolean): void
}

type LeaseState = SharedNetwork & {
  network: string
  candidate: Candidate
  heldUntilMs: number
  freeSinceMs: number | null
}

/** A process that died is replaced after this long. */
const LEASE_MS = 10_000
const RENEW_EVERY_MS = 3_000
/** Given up before it lapses, as clocks differ and a commit takes its time. */
const SAFETY_MS = 2_000

/**
 * Lets one process follow a network, so that blocks are not read and evaluated twice, and each
 * process about as many networks. It is no more than courtesy, as clocks differ: what keeps
 * events single is the condition in their transaction.
 */
export function openNetworkLeases(world: World, holder: string) {
  const { clock, database, telemetry } = world
  const states = new Map<string, LeaseState>()
  let stopRenewing: (() => void) | null = null
  const renewal = coalesced(
    () => renew(world, holder, [...states.values()]),
    () => telemetry.count('headgate_store_failures_total', { part: 'lease' }),
  )

  const isHeld = ({ heldUntilMs }: LeaseState) => clock.monotonicMs() < heldUntilMs
  telemetry.gauge(
    'headgate_followed_networks',
    {},
    () => [...states.values()].filter(isHeld).length,
  )

  return {
    hold(network: string, candidate: Candidate) {
      const state: LeaseState = {
        network,
        candidate,
        heldUntilMs: Number.NEGATIVE_INFINITY,
        freeSinceMs: null,
        canFollow: false,
        followers: 0,
        isHeld: false,
        freeForMs: null,
        isDeclined: false,
      }
      states.set(network, state)
      stopRenewing ??= clock.every(RENEW_EVERY_MS, renewal.ask)
      renewal.ask()
      return {
        held: () => isHeld(state),
        headSeen() {
          if (!state.canFollow && candidate.canFollow()) renewal.ask()
        },
        async release() {
          if (states.get(network) === state) states.delete(network)
          if (states.size === 0) {
            stopRenewing?.()
            stopRenewing = null
          }
          await renewal.idle()
          state.heldUntilMs = Number.NEGATIVE_INFINITY
          if (states.has(network)) return
          await releaseLease(database, nameOf(network), holder).catch(() => {})
          await standDown(database, network, { holder, nowMs: clock.nowMs() }).catch(() => {})
        },
      }
    },
  }
}

async function renew(world: World, holder: string, states: readonly LeaseState[]): Promise<void> {
  if (states.length === 0) return
  const { clock, database } = world
  const askedAtMs = clock.monotonicMs()
  const nowMs = clock.nowMs()
  const untilMs = nowMs + LEASE_MS
  await look(world, { holder, nowMs, untilMs }, states)
  const { renew: held, take, takeExtra, offer } = shareNetworks(states)
  for (const state of offer) {
    state.heldUntilMs = Number.NEGATIVE_INFINITY
    await releaseLease(database, nameOf(state.network), holder)
  }
  const wanted = [...held, ...take, ...takeExtra]
  const names = wanted.map(({ network }) => nameOf(network))
  const taken = await takeLeases(database, names, nowMs, { holder, untilMs })
  for (const state of takeExtra) state.isDeclined = true
  for (const state of wanted) {
    const isMine = taken.has(nameOf(state.network))
    state.heldUntilMs = isMine ? askedAtMs + LEASE_MS - SAFETY_MS : Number.NEGATIVE_INFINITY
    if (isMine) state.candidate.renewed(!state.isHeld)
  }
}

/** Learns how many could follow each network, and which of them nobody does. */
async function look(
  { clock, database }: World,
  following: { holder: string; nowMs: number; untilMs: number },
  states: readonly LeaseState[],
): Promise<void> {
  const networks = states.map(({ network }) => network)
  for (const state of states) state.canFollow = state.candidate.canFollow()
  const able = states.filter(({ canFollow }) => canFollow).map(({ network }) => network)
  if (able.length > 0) await standBy(database, able, following)
  const [others, leases] = await Promise.all([
    countOthers(database, networks, following),
    readLeases(database, networks.map(nameOf)),
  ])
  const atMs = clock.monotonicMs()
  for (const state of states) {
    const count = (others.get(state.network) ?? 0) + (state.canFollow ? 1 : 0)
    if (count !== state.followers) state.isDeclined = false
    state.followers = count
    state.isHeld = atMs < state.heldUntilMs
    const lease = leases.get(nameOf(state.network))
    const isTaken =
      lease !== undefined && lease.holder !== following.holder && lease.untilMs > following.nowMs
    state.freeSinceMs = isTaken || state.isHeld ? null : (state.freeSinceMs ?? atMs)
    state.freeForMs = state.freeSinceMs === null ? null : atMs - state.freeSinceMs
  }
}

function nameOf(network: string): string {
  return `follower:${network}`
}
