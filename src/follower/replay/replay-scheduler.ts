import { openWakeableSleep } from '../../core/async/wakeable-sleep.ts'
import { within } from '../../core/async/within.ts'
import { errorText, Failure } from '../../core/errors.ts'
import type { World } from '../../ports/world.ts'
import { releaseLease, takeLease } from '../../tables/sql/leases.ts'
import {
  cancelReplay,
  endReplay,
  noteReplayError,
  type Replay,
  replayingTeams,
  runningReplays,
} from '../../tables/webhooks/replays.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import { openReplayRetries, type ReplayRetries } from './replay-retries.ts'
import { type ReplaySlice, runReplaySlice } from './replay-slice.ts'

type Options = {
  services(): readonly NetworkService[]
  /** These webhooks have something to be sent. */
  committed(webhookIds: readonly string[]): void
  /** The disk has room; replays wait while it has not. */
  hasRoom(): boolean
  /** Names this process among those that may run a replay. */
  holder: string
}

export type ReplayScheduler = ReturnType<typeof openReplayScheduler>

type State = {
  world: World
  options: Options
  /** By the ids of replays, with their teams. */
  running: Map<string, { teamId: string; done: Promise<void> }>
  retries: ReplayRetries
  /** When each replay last got a slot, so that those of a team take turns. */
  servedAtMs: Map<string, number>
  lastTeam: string
  isStopped: boolean
  wake(): void
}

/** Slots. More would take the nodes' attention from new blocks and from callers. */
const REPLAYS_AT_ONCE_MAX = 3

const CHECK_EVERY_MS = 1_000

/** Teams considered in one round; the others come first in the next. */
const TEAMS_PER_ROUND_MAX = 100

/** Far more than a team may have. */
const TEAM_REPLAYS_MAX = 1_000

/** Longer than a slice with a block that takes as long as a block may take. */
const LEASE_MS = 60_000
/** The end of the lease that is not used, as clocks differ and a commit takes its time. */
const LEASE_SAFETY_MS = 10_000

const WAIT_MS = 1_000

/** A replay that has not had a slot for this long has ended elsewhere. */
const SERVED_MS_MAX = 600_000

/** Reading a block may take long; nothing is lost by leaving it. */
const STOP_MS_MAX = 2_000

const OUR_FAULT = 'Something went wrong on our side.'

/**
 * Runs the replays that are under way, a few at a time and in slices. Their rows say how far
 * each is, so the next process after a crash goes on with the very next block.
 */
export function openReplayScheduler(world: World, options: Options) {
  const { clock } = world
  const idle = openWakeableSleep(clock)
  const state: State = {
    world,
    options,
    running: new Map(),
    retries: openReplayRetries(clock),
    servedAtMs: new Map(),
    lastTeam: '',
    isStopped: false,
    wake: idle.wake,
  }
  const loop = async () => {
    while (!state.isStopped) {
      await fillSlots(state).catch((thrown) => reportStoreFailure(world, thrown))
      await idle.sleep(CHECK_EVERY_MS)
    }
    await Promise.all([...state.running.values()].map(({ done }) => done))
  }
  const ended = loop()

  return {
    /** A replay is new, or need not wait any longer. Best effort: a check finds those too. */
    wake() {
      state.retries.endWaits()
      idle.wake()
    },
    /** Finishes a commit under way, starts nothing new. */
    async stop() {
      state.isStopped = true
      idle.close()
      await within(clock, STOP_MS_MAX, ended, () => {})
    },
  }
}

/**
 * Gives the free slots to teams in turn: first to those that have none, so that a team with many
 * replays gets no more than others while they want slots too.
 */
async function fillSlots(state: State): Promise<void> {
  if (isFull(state) || !state.options.hasRoom()) return
  const teamIds = await replayingTeams(state.world.database, state.lastTeam, TEAMS_PER_ROUND_MAX)
  for (let share = 1; share <= REPLAYS_AT_ONCE_MAX; share++) {
    const wantMore = await fillShares(state, teamIds, share)
    if (isFull(state)) return
    if (!wantMore) break
  }
  forgetStale(state)
}

/** Fills each team's slots up to its share. True when any team has reached its share. */
async function fillShares(
  state: State,
  teamIds: readonly string[],
  share: number,
): Promise<boolean> {
  let wantMore = false
  for (const teamId of teamIds) {
    const own = [...state.running.values()].filter((one) => one.teamId === teamId).length
    if (own < share) {
      const replays = await runningReplays(state.world.database, teamId, TEAM_REPLAYS_MAX)
      const replay = longestWaiting(state, replays)
      if (isFull(state)) return false
      if (!replay) continue
      start(state, replay)
      state.lastTeam = teamId
    }
    wantMore = true
  }
  return wantMore
}

function isFull({ running, isStopped }: State): boolean {
  return isStopped || running.size >= REPLAYS_AT_ONCE_MAX
}

function longestWaiting(state: State, replays: readonly Replay[]): Replay | null {
  const servedAtMs = ({ id }: Replay) => state.servedAtMs.get(id) ?? -1
  const due = replays.filter(({ id }) => !state.running.has(id) && state.retries.isDue(id))
  return due.toSorted((a, b) => servedAtMs(a) - servedAtMs(b))[0] ?? null
}

function start(state: State, replay: Replay): void {
  state.servedAtMs.set(replay.id, state.world.clock.monotonicMs())
  const done = run(state, replay)
    .catch((thrown) => {
      reportStoreFailure(state.world, thrown)
      state.retries.postpone(replay, WAIT_MS)
    })
    .finally(() => {
      state.running.delete(replay.id)
      state.wake()
    })
  state.running.set(replay.id, { teamId: replay.teamId, done })
}

/** One slice, under a lease: no other process runs the same replay meanwhile. */
async function run(state: State, replay: Replay): Promise<void> {
  const { world, options } = state
  const { clock, database } = world
  const { services, committed, holder } = options
  const name = `replay:${replay.id}`
  const nowMs = clock.nowMs()
  const endsAtMs = clock.monotonicMs() + LEASE_MS - LEASE_SAFETY_MS
  if (!(await takeLease(database, name, holder, nowMs, nowMs + LEASE_MS))) {
    return state.retries.postpone(replay, WAIT_MS)
  }
  const mayGoOn = () => !state.isStopped && clock.monotonicMs() < endsAtMs
  const turn = { committed, mayGoOn }
  const { nextBlock, end } = await runReplaySlice(world, services, turn, replay).catch((thrown) =>
    brokenSlice(world, replay, thrown),
  )
  await settle(state, { ...replay, nextBlock }, end)
  await releaseLease(database, name, holder)
}

/** A bug of ours concerns this one replay; a store that fails concerns all. */
function brokenSlice(
  { telemetry }: World,
  { id, nextBlock }: Replay,
  thrown: unknown,
): ReplaySlice {
  if (thrown instanceof Failure) throw thrown
  telemetry.log('error', 'replay_bug', { replay: id, error: errorText(thrown) })
  return { nextBlock, end: { kind: 'error', reason: OUR_FAULT, isTransient: false } }
}

async function settle(
  { world, retries }: State,
  replay: Replay,
  end: ReplaySlice['end'],
): Promise<void> {
  const { clock, database, telemetry } = world
  const { id, teamId, network } = replay
  if (end.kind === 'waiting') return retries.postpone(replay, WAIT_MS)
  if (end.kind === 'error') {
    telemetry.count('headgate_replay_errors_total', { network })
    const isRetried = retries.recordFailure(replay, end.isTransient)
    if (isRetried) return noteReplayError(database, id, end.reason)
  }
  if (end.kind === 'error' || end.kind === 'impossible') await fail(world, replay, end.reason)
  if (end.kind === 'webhook_deleted') await cancelReplay(database, teamId, id, clock.nowMs())
  retries.forget(id)
}

async function fail({ clock, database, telemetry }: World, replay: Replay, reason: string) {
  const { id, network, nextBlock } = replay
  await endReplay(database, id, 'failed', reason, clock.nowMs())
  telemetry.log('warn', 'replay_failed', { replay: id, network, number: nextBlock, reason })
}

function forgetStale({ world: { clock }, retries, servedAtMs }: State): void {
  retries.forgetStale()
  const nowMs = clock.monotonicMs()
  for (const [id, atMs] of servedAtMs) if (atMs + SERVED_MS_MAX < nowMs) servedAtMs.delete(id)
}

function reportStoreFailure({ telemetry }: World, thrown: unknown): void {
  telemetry.log('warn', 'replay_error', { reason: errorText(thrown) })
  telemetry.count('headgate_store_failures_total', { part: 'replays' })
}
