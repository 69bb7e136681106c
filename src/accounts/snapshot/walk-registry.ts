import { Failure } from '../../core/errors.ts'
import type { ProgramAccountsCall } from '../../core/solana/request/program-accounts.ts'
import type { Clock } from '../../ports/clock.ts'
import type { SpillFiles } from '../../ports/spill.ts'
import type { World } from '../../ports/world.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import { openScanSemaphore, type ScanSemaphore } from '../scan/scan-semaphore.ts'
import { type Refusals, type SnapshotWalk, startWalk } from './snapshot-walk.ts'
import { countWalk, dispensable, openSpillRoom, type SpillRoom } from './walk-shares.ts'

type Rules = { scansMax: number; spillBytesMax: number }

export type WalkRegistry = ReturnType<typeof openWalkRegistry>

export type Asker = { fingerprint: string; teamId: string }

const ID_BYTES = 8

/** A finished walk answers the same question for another slot's time. */
const SHARED_MS = 400

const SWEEP_MS = 5000

/** Each holds a little memory, whatever the disk has room for. */
const WALKS_KEPT_MAX = 1000

/** So long a question that was answered in parts is not asked as a whole again. */
const REFUSAL_MS = 600_000
const REFUSALS_MAX = 1000

type Registry = {
  world: World
  spill: SpillFiles
  lanes: ScanSemaphore
  refusals: Refusals
  room: SpillRoom
  kept: Map<string, SnapshotWalk>
  /** By what is asked for; only those that may be joined. */
  shared: Map<string, SnapshotWalk>
}

export function openWalkRegistry(world: World, spill: SpillFiles, rules: Rules) {
  const { clock, telemetry } = world
  const kept = new Map<string, SnapshotWalk>()
  const room = openSpillRoom<SnapshotWalk>(() => rules.spillBytesMax, {
    all: () => [...kept.values()],
    isIdle,
    drop: (walk) => void drop(registry, walk),
  })
  const registry: Registry = {
    world,
    spill,
    lanes: openScanSemaphore(clock, rules),
    refusals: openRefusals(clock),
    room,
    kept,
    shared: new Map(),
  }
  const stops = [
    clock.every(SWEEP_MS, () => sweep(registry)),
    telemetry.gauge('headgate_account_spill_bytes', {}, () => room.usedBytes),
    telemetry.gauge('headgate_account_walks', {}, () => kept.size),
  ]
  return {
    /** Joins the running walk for the same question, or starts one; `leave` must follow. */
    enter(service: NetworkService, call: ProgramAccountsCall, { fingerprint, teamId }: Asker) {
      const key = `${fingerprint}:${call.minContextSlot ?? ''}`
      const running = registry.shared.get(key)
      const walk = running ?? begin(registry, service, call, { fingerprint, key, teamId })
      addReader(registry, walk, teamId)
      return { walk, isJoined: running !== undefined }
    },
    /** The walk that a page key names, entered; null when it is gone. */
    enterKept(id: string, { fingerprint, teamId }: Asker) {
      const walk = kept.get(id)
      if (walk?.fingerprint !== fingerprint || !isGood(walk)) return null
      addReader(registry, walk, teamId)
      return walk
    },
    /** Takes one reader off. A walk without readers, of which no page key exists, ends. */
    leave(walk: SnapshotWalk) {
      walk.readers--
      walk.usedAtMs = clock.nowMs()
      if (walk.readers > 0 || walk.isOver || walk.keptUntilMs > 0) return
      // Nobody may join what ends now.
      for (const [key, one] of registry.shared) if (one === walk) registry.shared.delete(key)
      walk.cancel()
    },
    async stop() {
      for (const stop of stops) stop()
      for (const walk of kept.values()) walk.cancel()
      await Promise.all([...kept.values()].map((walk) => drop(registry, walk)))
      await spill.clear()
    },
  }
}

function addReader({ world }: Registry, walk: SnapshotWalk, teamId: string): void {
  walk.readers++
  walk.holding.teams.add(teamId)
  walk.usedAtMs = world.clock.nowMs()
}

function begin(
  registry: Registry,
  service: NetworkService,
  call: ProgramAccountsCall,
  { fingerprint, key, teamId }: Asker & { key: string },
): SnapshotWalk {
  const unshare = () => {
    if (registry.shared.get(key) === walk) registry.shared.delete(key)
  }
  const over = () => {
    if (walk.keptUntilMs > 0) walk.found?.log.unload()
    if (!isGood(walk)) unshare()
    registry.world.clock.after(SHARED_MS, () => {
      unshare()
      // A caller who still reads it is slow, perhaps for hours: then it lies on the disk, too.
      if (walk.readers > 0) walk.found?.log.unload()
      sweep(registry)
    })
  }
  const id = registry.world.entropy.bytes(ID_BYTES).toHex()
  const holding = { teams: new Set([teamId]), spilledBytes: 0 }
  const { world, spill, lanes, refusals } = registry
  const room = { spill, budget: registry.room.budgetOf(holding) }
  const tools = { room, lanes, refusals }
  const walk = startWalk(world, tools, service, call, { id, fingerprint, holding, over })
  registry.kept.set(id, walk)
  registry.shared.set(key, walk)
  return walk
}

function sweep(registry: Registry): void {
  const nowMs = registry.world.clock.nowMs()
  const open = new Set(registry.shared.values())
  for (const walk of registry.kept.values()) {
    if (!isIdle(walk) || open.has(walk)) continue
    if (walk.keptUntilMs <= nowMs || !isGood(walk)) void drop(registry, walk)
  }
  while (registry.kept.size > WALKS_KEPT_MAX) {
    const all = [...registry.kept.values()]
    const walk = dispensable(all, all.filter(isIdle), countWalk)
    if (!walk) return
    void drop(registry, walk)
  }
}

/** Gives its room back at once; resolves when its files are gone. */
async function drop(registry: Registry, walk: SnapshotWalk): Promise<void> {
  registry.kept.delete(walk.id)
  for (const [key, one] of registry.shared) if (one === walk) registry.shared.delete(key)
  // A file that cannot be removed now is removed at the next start.
  await walk.found?.log.remove().catch(() => {})
}

function isIdle({ isOver, readers }: SnapshotWalk): boolean {
  return isOver && readers === 0
}

function isGood({ found }: SnapshotWalk): boolean {
  return found !== null && !(found.log.state instanceof Failure)
}

function openRefusals(clock: Clock): Refusals {
  const untilMs = new Map<string, number>()
  return {
    has: (fingerprint) => (untilMs.get(fingerprint) ?? 0) > clock.monotonicMs(),
    add(fingerprint) {
      if (untilMs.size >= REFUSALS_MAX) untilMs.clear()
      untilMs.set(fingerprint, clock.monotonicMs() + REFUSAL_MS)
    },
  }
}
