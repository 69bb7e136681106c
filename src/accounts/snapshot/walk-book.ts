import { Failure } from '../../core/errors.ts'
import type { ProgramAccountsCall } from '../../core/solana/request/program-accounts.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Entropy } from '../../ports/entropy.ts'
import type { SpillFiles } from '../../ports/spill.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import { openScanLanes } from '../scan/scan-lanes.ts'
import { type SnapshotWalk, startWalk, type WalkNeeds } from './snapshot-walk.ts'
import { countWalk, dispensable, openSpillRoom, type SpillRoom } from './walk-shares.ts'

export type WalkBookNeeds = {
  clock: Clock
  entropy: Entropy
  spill: SpillFiles
  telemetry: Telemetry
}

type Rules = { scansMax: number; spillBytesMax: number }

/** All walks there are: those under way, and those whose later pages may be asked for. */
export type WalkBook = {
  /** Joins the walk of whoever asks the same right now, or begins one; `leave` must follow. */
  enter(service: NetworkService, call: ProgramAccountsCall, asker: Asker): Entered
  /** The walk that a page key names, entered; null when it is gone. */
  enterKept(id: string, asker: Asker): SnapshotWalk | null
  /** One reader less. A walk that nobody reads, and nobody was promised more of, ends. */
  leave(walk: SnapshotWalk): void
  stop(): Promise<void>
}

/** What a page key is bound to, and the team of whoever asks. */
export type Asker = { bond: string; teamId: string }

type Entered = { walk: SnapshotWalk; isJoined: boolean }

const ID_BYTES = 8

/** A finished walk answers the same question for another slot's time. */
const SHARED_MS = 400

const SWEEP_MS = 5000

/** Each holds a little memory, whatever the disk has room for. */
const WALKS_KEPT_MAX = 1000

/** So long a question that was answered in parts is not asked as a whole again. */
const REFUSAL_MS = 600_000
const REFUSALS_MAX = 1000

type Book = {
  clock: Clock
  entropy: Entropy
  walkNeeds: Omit<WalkNeeds, 'budget'>
  room: SpillRoom
  /** By their ids. */
  kept: Map<string, SnapshotWalk>
  /** By what is asked for; only those that may be joined. */
  shared: Map<string, SnapshotWalk>
}

export function openWalkBook(needs: WalkBookNeeds, rules: Rules): WalkBook {
  const { clock, entropy, telemetry } = needs
  const kept = new Map<string, SnapshotWalk>()
  const room = openSpillRoom<SnapshotWalk>(() => rules.spillBytesMax, {
    all: () => [...kept.values()],
    isIdle,
    drop: (walk) => void drop(book, walk),
  })
  const lanes = openScanLanes(clock, rules)
  const walkNeeds = { ...needs, lanes, refusals: openRefusals(clock) }
  const book: Book = { clock, entropy, walkNeeds, room, kept, shared: new Map() }
  const stops = [
    clock.every(SWEEP_MS, () => sweep(book)),
    telemetry.gauge('headgate_account_spill_bytes', {}, () => room.usedBytes),
    telemetry.gauge('headgate_account_walks', {}, () => kept.size),
  ]
  return {
    enter(service, call, { bond, teamId }) {
      const key = `${bond}:${call.minContextSlot ?? ''}`
      const running = book.shared.get(key)
      const walk = running ?? begin(book, service, call, { bond, key, teamId })
      addReader(book, walk, teamId)
      return { walk, isJoined: running !== undefined }
    },
    enterKept(id, { bond, teamId }) {
      const walk = kept.get(id)
      if (walk?.bond !== bond || !isGood(walk)) return null
      addReader(book, walk, teamId)
      return walk
    },
    leave(walk) {
      walk.readers--
      walk.usedAtMs = clock.nowMs()
      if (walk.readers > 0 || walk.isOver || walk.keptUntilMs > 0) return
      // Nobody may join what ends now.
      for (const [key, one] of book.shared) if (one === walk) book.shared.delete(key)
      walk.cancel()
    },
    async stop() {
      for (const stop of stops) stop()
      for (const walk of kept.values()) walk.cancel()
      await Promise.all([...kept.values()].map((walk) => drop(book, walk)))
      await needs.spill.clear()
    },
  }
}

function addReader({ clock }: Book, walk: SnapshotWalk, teamId: string): void {
  walk.readers++
  walk.holding.teams.add(teamId)
  walk.usedAtMs = clock.nowMs()
}

function begin(
  book: Book,
  service: NetworkService,
  call: ProgramAccountsCall,
  { bond, key, teamId }: Asker & { key: string },
): SnapshotWalk {
  const unshare = () => {
    if (book.shared.get(key) === walk) book.shared.delete(key)
  }
  const over = () => {
    if (walk.keptUntilMs > 0) walk.found?.log.unload()
    if (!isGood(walk)) unshare()
    book.clock.after(SHARED_MS, () => {
      unshare()
      // Whoever reads it still is slow, perhaps for hours: then it lies on the disk, too.
      if (walk.readers > 0) walk.found?.log.unload()
      sweep(book)
    })
  }
  const id = book.entropy.bytes(ID_BYTES).toHex()
  const holding = { teams: new Set([teamId]), spilledBytes: 0 }
  const needs = { ...book.walkNeeds, budget: book.room.budgetOf(holding) }
  const walk = startWalk(needs, service, call, { id, bond, holding, over })
  book.kept.set(id, walk)
  book.shared.set(key, walk)
  return walk
}

/** Removes what nobody can ask for any more. */
function sweep(book: Book): void {
  const nowMs = book.clock.nowMs()
  const open = new Set(book.shared.values())
  for (const walk of book.kept.values()) {
    if (!isIdle(walk) || open.has(walk)) continue
    if (walk.keptUntilMs <= nowMs || !isGood(walk)) void drop(book, walk)
  }
  while (book.kept.size > WALKS_KEPT_MAX) {
    const all = [...book.kept.values()]
    const walk = dispensable(all, all.filter(isIdle), countWalk)
    if (!walk) return
    void drop(book, walk)
  }
}

/** Gives its room back at once; resolves when its files are gone. */
async function drop(book: Book, walk: SnapshotWalk): Promise<void> {
  book.kept.delete(walk.id)
  for (const [key, one] of book.shared) if (one === walk) book.shared.delete(key)
  // A file that cannot be removed now is removed at the next start.
  await walk.found?.log.remove().catch(() => {})
}

function isIdle({ isOver, readers }: SnapshotWalk): boolean {
  return isOver && readers === 0
}

/** It has records, and did not break off. */
function isGood({ found }: SnapshotWalk): boolean {
  return found !== null && !(found.log.state instanceof Failure)
}

function openRefusals(clock: Clock): WalkNeeds['refusals'] {
  const untilMs = new Map<string, number>()
  return {
    has: (bond) => (untilMs.get(bond) ?? 0) > clock.monotonicMs(),
    add(bond) {
      if (untilMs.size >= REFUSALS_MAX) untilMs.clear()
      untilMs.set(bond, clock.monotonicMs() + REFUSAL_MS)
    },
  }
}
