import { openHeardSlots } from '../../core/solana/slots/heard-slots.ts'
import type { AccountStore } from '../../ports/account-store.ts'
import type { Sockets } from '../../ports/sockets.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { World } from '../../ports/world.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import { nextUpstream } from '../../upstream/subscription/next-upstream.ts'
import {
  openUpstreamSubscription,
  type UpstreamSubscription,
} from '../../upstream/subscription/upstream-subscription.ts'
import { readBlocks } from './account-index-blocks.ts'
import { openChangeQueue } from './account-index-changes.ts'
import { type PassParts, runPass } from './account-index-pass.ts'
import {
  brokenPass,
  logFailure,
  logPass,
  newProgram,
  nextKind,
  notePass,
  type ScheduledProgram,
} from './account-index-schedule.ts'
import { type IndexListener, type IndexSession, openIndexSession } from './account-index-session.ts'

export type IndexDrivers = { sockets: Sockets; store: AccountStore }

export type IndexMaintainer = ReturnType<typeof openIndexMaintainer>

type Maintainer = PassParts & {
  telemetry: Telemetry
  network: string
  programs: readonly ScheduledProgram[]
  /** The programs of which the store has forgotten what it must not rely on. */
  begun: Set<ScheduledProgram>
  finalSlot: number
  settleAtMs: number
  maintainAtMs: number
}

type ProgramSubscription = UpstreamSubscription<IndexSession>

const TURN_EVERY_MS = 250

const SETTLE_EVERY_MS = 2_000

const SETTLED_SLOTS_MAX = 5_000

const MAINTAIN_EVERY_MS = 15_000
const STOP_MS_MAX = 1_000

/** From dialling to the first clock. */
const HANDSHAKE_MS_MAX = 15_000

/** The largest account has 10 MiB of data, a third more in base64. */
const MESSAGE_CHARS_MAX = 16 * 1024 * 1024

export function openIndexMaintainer(
  world: World,
  { sockets, store }: IndexDrivers,
  service: NetworkService,
  programs: readonly { program: Uint8Array; text: string }[],
  keepMs: number,
) {
  const { clock, telemetry } = world
  const stopping = new AbortController()
  const maintainer: Maintainer = {
    clock,
    telemetry,
    store,
    service,
    network: service.network.id,
    heard: openHeardSlots(),
    changes: openChangeQueue(store, (reason) => subscription.session?.end(reason)),
    programs: programs.map((one) => newProgram(one, keepMs, clock.monotonicMs())),
    begun: new Set(),
    signal: stopping.signal,
    finalSlot: -1,
    settleAtMs: 0,
    maintainAtMs: clock.monotonicMs() + MAINTAIN_EVERY_MS,
  }
  const keys = maintainer.programs.map(({ program }) => program)
  store.keepOnly(keys).catch((thrown) => logFailure(telemetry, maintainer.network, thrown))
  const subscription = subscribeToPrograms(
    { ...world, sockets },
    service,
    keys,
    listenerOf(maintainer),
  )
  let turning: Promise<void> | null = null

  const stopTurns = clock.every(TURN_EVERY_MS, () => {
    turning ??= turn(maintainer, subscription)
      .catch((thrown) => {
        if (!stopping.signal.aborted) logFailure(telemetry, maintainer.network, thrown)
      })
      .finally(() => {
        turning = null
      })
  })

  return {
    programs: maintainer.programs,
    /** The newest final slot that was compared with the changes received. */
    get finalSlot() {
      return maintainer.finalSlot
    },
    async stop() {
      stopTurns()
      stopping.abort()
      subscription.stop()
      // A node's answer may be long in coming, and nobody wants it any more.
      await Promise.race([turning, clock.sleep(STOP_MS_MAX)])
      await maintainer.changes.drained()
    },
  }
}

function listenerOf(maintainer: Maintainer): IndexListener {
  const { clock, store, heard, changes, programs, begun } = maintainer
  const byProgram = new Map(programs.map((state) => [state.program, state]))
  return {
    covered(slot) {
      if (maintainer.finalSlot < 0) maintainer.finalSlot = slot - 1
      for (const state of programs) {
        if (begun.has(state)) continue
        begun.add(state)
        // Obeyed before all that is heard from here on.
        store.begin(state.program, slot).catch(() => begun.delete(state))
      }
    },
    clock: (slot, unixTimestamp) => heard.noteClock(slot, unixTimestamp),
    changed(program, slot, record) {
      const state = byProgram.get(program)
      heard.noteChange(slot)
      // A new connection may lag behind the one before: what is verified is not touched any more.
      if (!state || slot <= (state.verified.newest?.slot ?? -1)) return true
      return changes.add({ program, slot, record })
    },
    ended() {
      heard.restart()
      changes.clear()
      for (const state of programs) {
        if (state.isBackfilled) state.dueAtMs = clock.monotonicMs()
        state.isBackfilled = false
      }
    },
  }
}

/** Does what is due, one thing after the other: scans of one network never run side by side. */
async function turn(maintainer: Maintainer, subscription: ProgramSubscription): Promise<void> {
  const { clock, programs, begun, store } = maintainer
  const nowMs = clock.monotonicMs()
  if (subscription.session && nowMs >= maintainer.settleAtMs) {
    maintainer.settleAtMs = nowMs + SETTLE_EVERY_MS
    await settle(maintainer, subscription)
  }
  const due = programs
    .filter((state) => begun.has(state) && state.dueAtMs <= nowMs)
    .toSorted((a, b) => a.dueAtMs - b.dueAtMs)[0]
  if (due) await attempt(maintainer, subscription, due)
  if (nowMs < maintainer.maintainAtMs) return
  maintainer.maintainAtMs = nowMs + MAINTAIN_EVERY_MS
  for (const state of programs) await prune(maintainer, state)
  await store.maintainLookups()
}

/** Compares the changes received for slots that are final now with what the ledger has. */
async function settle(maintainer: Maintainer, subscription: ProgramSubscription): Promise<void> {
  const { service, heard, network, telemetry } = maintainer
  const from = maintainer.finalSlot + 1
  const end = from + SETTLED_SLOTS_MAX
  const blocks = await readBlocks(service, from, end, 'finalized')
  const to = blocks?.at(-1)
  if (!blocks || to === undefined) return
  maintainer.finalSlot = to
  const slot = heard.dropped(blocks, from, to)
  if (slot === null) return
  for (const { verified } of maintainer.programs) verified.dropFrom(slot)
  telemetry.log('error', 'account_index_slot_dropped', { network, slot })
  subscription.session?.end('slot_dropped')
}

async function attempt(
  maintainer: Maintainer,
  subscription: ProgramSubscription,
  state: ScheduledProgram,
): Promise<void> {
  const { session } = subscription
  if (!session) return
  const { clock, network, telemetry } = maintainer
  const startedAtMs = clock.monotonicMs()
  const wasBackfilled = state.isBackfilled
  const kind = nextKind(state, startedAtMs)
  const pass = await runPass(maintainer, session, state, kind).catch((thrown) =>
    brokenPass(telemetry, network, thrown),
  )
  if (maintainer.signal.aborted) return
  notePass(state, kind, pass, startedAtMs, clock.monotonicMs())
  telemetry.count('headgate_index_passes_total', { network, kind, outcome: pass.kind })
  logPass(telemetry, network, state, pass, wasBackfilled)
}

async function prune({ clock, store, finalSlot, signal }: Maintainer, state: ScheduledProgram) {
  const slot = state.verified.retire(finalSlot, clock.monotonicMs())
  while (slot !== null && !signal.aborted) {
    if (await store.prune(state.program, slot)) return
  }
}

/** Hears of the programs' changes from one upstream, and from the next one when it fails. */
function subscribeToPrograms(
  world: World & { sockets: Sockets },
  service: NetworkService,
  programs: readonly Uint8Array[],
  listener: IndexListener,
): ProgramSubscription {
  const headSlot = () => service.pool.selection.head?.number ?? 0
  return openUpstreamSubscription(world, {
    network: service.network.id,
    logEvent: 'account_index_socket',
    handshakeMsMax: HANDSHAKE_MS_MAX,
    messageCharsMax: MESSAGE_CHARS_MAX,
    nextUpstream: (previous) => nextUpstream(service.pool.selection, previous),
    openSession: (connection) =>
      openIndexSession(world.clock, headSlot, connection, programs, listener),
  })
}
