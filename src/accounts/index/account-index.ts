import { Failure } from '../../core/errors.ts'
import { decodeKey } from '../../core/solana/base58.ts'
import type { ProgramAccountsCall } from '../../core/solana/request/program-accounts.ts'
import type { VerifiedSlot } from '../../core/solana/slots/verified-slots.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { World } from '../../ports/world.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import type { AccountIndex, IndexPlace } from '../snapshot/indexed-pages.ts'
import {
  type IndexDrivers,
  type IndexMaintainer,
  openIndexMaintainer,
} from './account-index-maintainer.ts'
import { openMintLookups } from './account-index-mints.ts'
import { openReading, readPageParts, readWholePage } from './account-index-pages.ts'
import { prefetchPages } from './account-index-prefetch.ts'
import type { ScheduledProgram } from './account-index-schedule.ts'

export type IndexRules = {
  /** In base 58. */
  programs: readonly string[]
  /** How long a page of a moment can be asked for after it was the newest. */
  keepMs: number
}

export type OpenAccountIndex = AccountIndex & {
  report(): IndexReport[]
  /** Lets go of the nodes; the store stays open. */
  stop(): Promise<void>
}

type IndexReport = {
  program: string
  /** live: kept up with every change; catching_up: something was missed and is read again. */
  state: 'live' | 'catching_up'
  accounts: number
  /** The newest slot it can show; null before the first. */
  slot: number | null
  finalized_slot: number | null
  lag_slots: number | null
  last_fault: string | null
}

/** Further behind than this, a node is asked; twice and a half the usual, between these bounds. */
const LAG_MS_MIN = 30_000

const LAG_MS_MAX = 300_000

const LAG_PERIODS = 2.5

/** Slots take so much longer to become final. */
const FINALITY_MS = 60_000

export function openAccountIndex(
  world: World,
  drivers: IndexDrivers,
  service: NetworkService,
  { programs, keepMs }: IndexRules,
): OpenAccountIndex {
  const { clock, telemetry } = world
  const reading = openReading(drivers.store, openMintLookups(clock, service))
  const keyed = programs.flatMap((text) => {
    const program = decodeKey(text)
    return program ? [{ program, text }] : []
  })
  const maintainer = openIndexMaintainer(world, drivers, service, keyed, keepMs)
  const byText = new Map(maintainer.programs.map((state) => [state.text, state]))
  const forgetGauges = gaugeIndex(telemetry, service, maintainer)

  /** Looking keeps it for as long as somebody reads. */
  const shownAt = ({ programText }: ProgramAccountsCall, { slot }: IndexPlace) =>
    byText.get(programText)?.verified.read(Number(slot), clock.monotonicMs()) ?? null

  const page = async (call: ProgramAccountsCall, place: IndexPlace) => {
    const shown = shownAt(call, place)
    return shown ? readWholePage(reading, call, place, shown).catch(unreadable) : 'gone'
  }
  const prefetchedPage = prefetchPages(clock, page)

  return {
    covers(call) {
      const state = byText.get(call.programText)
      const shown = state ? shownFor(maintainer, state, call) : null
      if (!state || !shown || isLagging(service, state, shown, call)) return null
      const slot = BigInt(shown.slot)
      return call.minContextSlot !== null && call.minContextSlot > slot ? null : { slot }
    },

    async page(call, place) {
      const page = await prefetchedPage(call, place)
      // It may have turned out meanwhile that this moment never was.
      return shownAt(call, place) ? page : 'gone'
    },

    async *parts(call, place) {
      const shown = shownAt(call, place)
      if (!shown) throw momentGone()
      for await (const part of readPageParts(reading, call, place, shown)) {
        if (!shownAt(call, place)) throw momentGone()
        yield part
      }
    },

    report: () => reportOf(service, maintainer),
    async stop() {
      forgetGauges()
      await maintainer.stop()
    },
  }
}

/** The moment to show; what is not confirmed yet is never here. */
function shownFor(
  { finalSlot }: IndexMaintainer,
  { verified }: ScheduledProgram,
  { commitment }: ProgramAccountsCall,
): VerifiedSlot | null {
  if (commitment === 'processed') return null
  return commitment === 'confirmed' ? verified.newest : verified.upTo(finalSlot)
}

function isLagging(
  { network, pool }: NetworkService,
  { periodMs }: ScheduledProgram,
  { slot, takenAtMs }: VerifiedSlot,
  { commitment }: ProgramAccountsCall,
): boolean {
  const { head, clock } = pool.selection
  const lagMs = head ? (head.number - slot) * network.blockTimeMs : clock.monotonicMs() - takenAtMs
  const usualMs = Math.min(LAG_MS_MAX, Math.max(LAG_MS_MIN, periodMs * LAG_PERIODS))
  return lagMs > usualMs + (commitment === 'finalized' ? FINALITY_MS : 0)
}

/** The caller is better served by a node than by the words of our store. */
function unreadable(thrown: unknown): 'gone' {
  if (!(thrown instanceof Failure) || thrown.code !== 'database_unavailable') throw thrown
  return 'gone'
}

function momentGone(): Failure {
  return new Failure('database_unavailable', { reason: 'its moment is gone' })
}

function reportOf(service: NetworkService, maintainer: IndexMaintainer): IndexReport[] {
  return maintainer.programs.map((state) => ({
    program: state.text,
    state: state.isBackfilled ? 'live' : 'catching_up',
    accounts: state.accounts,
    slot: state.verified.newest?.slot ?? null,
    finalized_slot: state.verified.upTo(maintainer.finalSlot)?.slot ?? null,
    lag_slots: lagSlots(service, state),
    last_fault: state.lastFault,
  }))
}

/** Shows each program among the metrics; returns how to stop. */
function gaugeIndex(
  telemetry: Telemetry,
  service: NetworkService,
  maintainer: IndexMaintainer,
): () => void {
  const forget = maintainer.programs.flatMap((state) => {
    const labels = { network: service.network.id, program: state.text }
    const lag = () => lagSlots(service, state) ?? Number.NaN
    return [
      telemetry.gauge('headgate_index_live', labels, () => (state.isBackfilled ? 1 : 0)),
      telemetry.gauge('headgate_index_lag_slots', labels, lag),
      telemetry.gauge('headgate_index_accounts', labels, () => state.accounts),
    ]
  })
  return () => {
    for (const stop of forget) stop()
  }
}

function lagSlots({ pool }: NetworkService, { verified }: ScheduledProgram): number | null {
  const head = pool.selection.head?.number
  const slot = verified.newest?.slot
  return head === undefined || slot === undefined ? null : Math.max(0, head - slot)
}
