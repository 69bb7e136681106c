import { Failure } from '../core/errors.ts'
import type { ProgramAccountsCall } from '../core/solana/program-accounts.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { SpillFiles } from '../ports/spill.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import type { NetworkService } from '../upstream/ask-network.ts'
import type { SpillBudget } from './byte-log.ts'
import { openScanLanes } from './scan-lanes.ts'
import { type SnapshotWalk, startWalk, type WalkNeeds } from './snapshot-walk.ts'

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
  enter(service: NetworkService, call: ProgramAccountsCall, bond: string): Entered
  /** The walk that a page key names, entered; null when it is gone. */
  enterKept(id: string, bond: string): SnapshotWalk | null
  /** One reader less. A walk that nobody reads, and nobody was promised more of, ends. */
  leave(walk: SnapshotWalk): void
  stop(): Promise<void>
}

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
  walkNeeds: WalkNeeds
  /** By their ids. */
  kept: Map<string, SnapshotWalk>
  /** By what is asked for; only those that may be joined. */
  shared: Map<string, SnapshotWalk>
}

export function openWalkBook(needs: WalkBookNeeds, rules: Rules): WalkBook {
  const { clock, entropy, telemetry } = needs
  const kept = new Map<string, SnapshotWalk>()
  const budget = openBudget(rules.spillBytesMax, () => evict(book, 1))
  const lanes = openScanLanes(clock, rules.scansMax)
  const walkNeeds = { ...needs, budget, lanes, refusals: openRefusals(clock) }
  const book: Book = { clock, entropy, walkNeeds, kept, shared: new Map() }
  const stops = [
    clock.every(SWEEP_MS, () => sweep(book)),
    telemetry.gauge('headgate_account_spill_bytes', {}, () => budget.usedBytes),
    telemetry.gauge('headgate_account_walks', {}, () => kept.size),
  ]
  return {
    enter(service, call, bond) {
      const key = `${bond}:${call.minContextSlot ?? ''}`
      const running = book.shared.get(key)
      const walk = running ?? begin(book, service, call, { bond, key })
      addReader(book, walk)
      return { walk, isJoined: running !== undefined }
    },
    enterKept(id, bond) {
      const walk = kept.get(id)
      if (walk?.bond !== bond || !isGood(walk)) return null
      addReader(book, walk)
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

function addReader({ clock }: Book, walk: SnapshotWalk): void {
  walk.readers++
  walk.usedAtMs = clock.nowMs()
}

function begin(
  book: Book,
  service: NetworkService,
  call: ProgramAccountsCall,
  { bond, key }: { bond: string; key: string },
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
  const walk = startWalk(book.walkNeeds, service, call, { id, bond, over })
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
  evict(book, Math.max(0, book.kept.size - WALKS_KEPT_MAX))
}

/** Removes so many of those that were longest unused; false when there is none. */
function evict(book: Book, count: number): boolean {
  const idle = [...book.kept.values()].filter(isIdle)
  idle.sort((a, b) => a.usedAtMs - b.usedAtMs)
  for (const walk of idle.slice(0, count)) void drop(book, walk)
  return idle.length > 0
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

/** Room on the disk; `makeRoom` is false when there is nothing left to remove. */
function openBudget(bytesMax: number, makeRoom: () => boolean) {
  const budget: SpillBudget & { usedBytes: number } = {
    usedBytes: 0,
    take(bytes) {
      while (budget.usedBytes + bytes > bytesMax) if (!makeRoom()) return false
      budget.usedBytes += bytes
      return true
    },
    give(bytes) {
      budget.usedBytes -= bytes
    },
  }
  return budget
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
