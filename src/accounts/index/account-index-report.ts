import type { Telemetry } from '../../ports/telemetry.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import type { IndexMaintainer } from './account-index-maintainer.ts'
import type { ScheduledProgram } from './account-index-schedule.ts'

/** The report to operators about one program. */
export type IndexReport = {
  program: string
  /** live: kept up with every change; catching_up: something was missed and is read again. */
  state: 'live' | 'catching_up'
  accounts: number
  /** The newest slot it can show; null before the first. */
  slot: number | null
  finalized_slot: number | null
  /** How far that is behind the network's head. */
  lag_slots: number | null
  last_fault: string | null
}

export function reportOf(service: NetworkService, maintainer: IndexMaintainer): IndexReport[] {
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
export function gaugeIndex(
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
