import { Failure } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Database } from '../../ports/database.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { releaseLease, takeLease } from '../../tables/sql/leases.ts'
import {
  cancelReplay,
  failReplay,
  noteReplayTrouble,
  type Replay,
  replayingTeams,
  runningReplays,
} from '../../tables/webhooks/replays.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import type { Standstill } from './replay-query.ts'
import { type ReplayTurn, takeReplayTurn } from './replay-turn.ts'

type Needs = {
  clock: Clock
  database: Database
  telemetry: Telemetry
  /** What answers for each network. */
  services(): readonly NetworkService[]
  /** These webhooks have something to be sent. */
  committed(webhookIds: readonly string[]): void
  /** The disk has room; replays wait while it has not. */
  hasRoom(): boolean
  /** Names this process among those that may work on a replay. */
  holder: string
}

export type Replays = {
  /** One is new, or need not wait any longer. Best effort: a look finds them too. */
  remind(): void
  /** Finishes a commit under way, begins nothing new. */
  stop(): Promise<void>
}

/** What this process remembers of a replay between two turns. */
type Note = {
  restsUntilMs: number
  blockNumber: number
  /** Of that block, in a row, without success. */
  tries: number
  /** Those in which the nodes did answer. */
  vainTries: number
}

type Desk = {
  /** By the ids of replays, with their teams. */
  working: Map<string, { teamId: string; done: Promise<void> }>
  notes: Map<string, Note>
  /** When replays last had a turn, so that those of a team take theirs one after the other. */
  served: Map<string, number>
  /** The last team that was given a place. */
  lastTeam: string
  stopped: boolean
  /** There is a place, or news. */
  wake(): void
}

/** At once; more of them would take the nodes' attention from new blocks and from callers. */
const REPLAYS_AT_ONCE_MAX = 3

const LOOK_EVERY_MS = 1_000

/** Looked at for one whose turn it is; the rest is looked at next time. */
const TEAMS_PER_ROUND_MAX = 100

/** Far more than a team may have. */
const TEAM_REPLAYS_MAX = 1_000

/** Longer than a turn with a block that takes as long as a block may take. */
const LEASE_MS = 60_000
/** Of the lease: who comes that late leaves it to another. */
const LEASE_SAFETY_MS = 10_000

const WAIT_MS = 1_000
const TROUBLE_MS_MIN = 1_000
const TROUBLE_MS_MAX = 60_000

/** With the waits above, some ten minutes. */
const VAIN_TRIES_MAX = 14

/** Much longer than any rest: what is not looked at any more has ended elsewhere. */
const NOTE_MS_MAX = 10 * TROUBLE_MS_MAX

/** Reading a block may take long; nothing is lost by leaving it. */
const STOP_MS_MAX = 2_000

const OUR_FAULT = 'Something went wrong on our side.'

/**
 * Works on the replays that are running, a few at a time and in turns. The rows say how far
 * each is, so whoever comes after a crash goes on with the very next block.
 */
export function openReplays(needs: Needs): Replays {
  const { clock } = needs
  let heard = false
  let rise: () => void = () => {}
  const desk: Desk = {
    working: new Map(),
    notes: new Map(),
    served: new Map(),
    lastTeam: '',
    stopped: false,
    wake() {
      heard = true
      rise()
    },
  }
  const idle = () =>
    new Promise<void>((resolve) => {
      const cancel = clock.after(LOOK_EVERY_MS, resolve)
      rise = () => {
        cancel()
        resolve()
      }
      if (heard || desk.stopped) rise()
    })

  const loop = async () => {
    while (!desk.stopped) {
      heard = false
      await handOut(needs, desk).catch((thrown) => noteStoreTrouble(needs, thrown))
      await idle()
    }
    await Promise.all([...desk.working.values()].map(({ done }) => done))
  }
  const ended = loop()

  return {
    remind() {
      for (const [id, { tries }] of desk.notes) if (tries === 0) desk.notes.delete(id)
      desk.wake()
    },
    async stop() {
      desk.stopped = true
      desk.wake()
      await Promise.race([ended, clock.sleep(STOP_MS_MAX)])
    },
  }
}

/**
 * Gives the free places to the teams whose turn it is: first to those that have none, so that
 * who has many replays gets no more than others while they want places too.
 */
async function handOut(needs: Needs, desk: Desk): Promise<void> {
  if (isBusy(desk) || !needs.hasRoom()) return
  const teamIds = await replayingTeams(needs.database, desk.lastTeam, TEAMS_PER_ROUND_MAX)
  for (let share = 1; share <= REPLAYS_AT_ONCE_MAX; share++) {
    const wantMore = await goAround(needs, desk, teamIds, share)
    if (isBusy(desk)) return
    if (!wantMore) break
  }
  forgetOld(needs, desk)
}

/** As far as there are places, up to the share of each. True when any has reached its share. */
async function goAround(
  needs: Needs,
  desk: Desk,
  teamIds: readonly string[],
  share: number,
): Promise<boolean> {
  let wantMore = false
  for (const teamId of teamIds) {
    const own = [...desk.working.values()].filter((one) => one.teamId === teamId).length
    if (own < share) {
      const replays = await runningReplays(needs.database, teamId, TEAM_REPLAYS_MAX)
      const replay = whoseTurn(needs, desk, replays)
      if (isBusy(desk)) return false
      if (!replay) continue
      begin(needs, desk, replay)
      desk.lastTeam = teamId
    }
    wantMore = true
  }
  return wantMore
}

function isBusy({ working, stopped }: Desk): boolean {
  return stopped || working.size >= REPLAYS_AT_ONCE_MAX
}

/** The one that has waited longest for its turn. */
function whoseTurn(needs: Needs, desk: Desk, replays: readonly Replay[]): Replay | null {
  const servedMs = ({ id }: Replay) => desk.served.get(id) ?? -1
  const ready = replays.filter((one) => !desk.working.has(one.id) && isRested(needs, desk, one))
  return ready.toSorted((a, b) => servedMs(a) - servedMs(b))[0] ?? null
}

function isRested({ clock }: Needs, { notes }: Desk, { id }: Replay): boolean {
  return (notes.get(id)?.restsUntilMs ?? 0) <= clock.monotonicMs()
}

function begin(needs: Needs, desk: Desk, replay: Replay): void {
  desk.served.set(replay.id, needs.clock.monotonicMs())
  const done = workOn(needs, desk, replay)
    .catch((thrown) => {
      noteStoreTrouble(needs, thrown)
      rest(needs, desk, replay, TROUBLE_MS_MIN)
    })
    .finally(() => {
      desk.working.delete(replay.id)
      desk.wake()
    })
  desk.working.set(replay.id, { teamId: replay.teamId, done })
}

async function workOn(needs: Needs, desk: Desk, replay: Replay): Promise<void> {
  const { clock, database } = needs
  const name = `replay:${replay.id}`
  const nowMs = clock.nowMs()
  const endsAtMs = clock.monotonicMs() + LEASE_MS - LEASE_SAFETY_MS
  if (!(await takeLease(database, name, needs.holder, nowMs, nowMs + LEASE_MS))) {
    return rest(needs, desk, replay, WAIT_MS)
  }
  const mayGoOn = () => !desk.stopped && clock.monotonicMs() < endsAtMs
  const { nextBlock, end } = await takeReplayTurn({ ...needs, mayGoOn }, replay).catch((thrown) =>
    brokenTurn(needs, replay, thrown),
  )
  await conclude(needs, desk, { ...replay, nextBlock }, end)
  await releaseLease(database, name, needs.holder)
}

/** A bug of ours is trouble of this one replay; the store being away is everybody's. */
function brokenTurn({ telemetry }: Needs, { id, nextBlock }: Replay, thrown: unknown): ReplayTurn {
  if (thrown instanceof Failure) throw thrown
  const error = thrown instanceof Error ? thrown.message : String(thrown)
  telemetry.log('error', 'replay_broke', { replay: id, error })
  return { nextBlock, end: { kind: 'trouble', reason: OUR_FAULT, isHopeful: false } }
}

async function conclude(
  needs: Needs,
  desk: Desk,
  replay: Replay,
  end: ReplayTurn['end'],
): Promise<void> {
  const { clock, database } = needs
  const { id, teamId } = replay
  if (end.kind === 'waits') return rest(needs, desk, replay, WAIT_MS)
  if (end.kind === 'trouble') return bearTrouble(needs, desk, replay, end)
  if (end.kind === 'hopeless') await fail(needs, replay, end.reason)
  if (end.kind === 'gone') await cancelReplay(database, teamId, id, clock.nowMs())
  desk.notes.delete(id)
}

async function bearTrouble(
  needs: Needs,
  desk: Desk,
  replay: Replay,
  { reason, isHopeful }: Extract<Standstill, { kind: 'trouble' }>,
): Promise<void> {
  const { id, network, nextBlock } = replay
  const before = desk.notes.get(id)
  const same = before?.blockNumber === nextBlock ? before : null
  const tries = (same?.tries ?? 0) + 1
  const vainTries = isHopeful ? 0 : (same?.vainTries ?? 0) + 1
  needs.telemetry.count('headgate_replay_troubles_total', { network })
  if (vainTries >= VAIN_TRIES_MAX) {
    desk.notes.delete(id)
    return fail(needs, replay, reason)
  }

  const waitMs = Math.min(TROUBLE_MS_MAX, TROUBLE_MS_MIN * 2 ** (tries - 1))
  const restsUntilMs = needs.clock.monotonicMs() + waitMs
  desk.notes.set(id, { restsUntilMs, blockNumber: nextBlock, tries, vainTries })
  await noteReplayTrouble(needs.database, id, reason)
}

async function fail({ clock, database, telemetry }: Needs, replay: Replay, reason: string) {
  const { id, network, nextBlock } = replay
  await failReplay(database, id, reason, clock.nowMs())
  telemetry.log('warn', 'replay_failed', { replay: id, network, number: nextBlock, reason })
}

/** What was tried before still counts. */
function rest({ clock }: Needs, { notes }: Desk, { id, nextBlock }: Replay, waitMs: number): void {
  const before = notes.get(id) ?? { blockNumber: nextBlock, tries: 0, vainTries: 0 }
  notes.set(id, { ...before, restsUntilMs: clock.monotonicMs() + waitMs })
}

function forgetOld({ clock }: Needs, { notes, served }: Desk): void {
  const nowMs = clock.monotonicMs()
  for (const [id, atMs] of served) if (atMs + NOTE_MS_MAX < nowMs) served.delete(id)
  for (const [id, { restsUntilMs }] of notes) {
    if (restsUntilMs + NOTE_MS_MAX < nowMs) notes.delete(id)
  }
}

function noteStoreTrouble({ telemetry }: Needs, thrown: unknown): void {
  const reason = thrown instanceof Error ? thrown.message : String(thrown)
  telemetry.log('warn', 'replay_trouble', { reason })
  telemetry.count('headgate_store_failures_total', { part: 'replays' })
}
