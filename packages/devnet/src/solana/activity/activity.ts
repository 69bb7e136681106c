import type { Clock } from '../../clock.ts'
import { churn, type LedgerParts } from './churn.ts'
import type { Pool } from './sample-accounts.ts'
import { openTraffic } from './traffic.ts'

/** The pace of a ledger's own activity. */
export type PaceState = {
  /** 0: slots only on command. */
  slotTimeMs: number
  isHeld: boolean
  changesPerSlot: number
}

/** All that happens on a ledger by itself. */
export type Activity = {
  readonly pace: PaceState
  change(wanted: Partial<PaceState>): void
  /** Does what happens by itself in one slot, which then ends. */
  runSlot(): void
  /** The token accounts that change by themselves. */
  tokenAccounts(): number
}

/** The ledger has about so much time between transactions of its own, however short its slots. */
const TRANSACTION_MS = 300

/** Ends slots by time, and changes accounts of these pools in each. */
export function openActivity(
  clock: Clock,
  parts: LedgerParts,
  pools: readonly Pool[],
  first: PaceState,
  advance: () => void,
): Activity {
  let pace = first
  const traffic = openTraffic(parts)
  let cancel = () => {}

  const arm = () => {
    cancel()
    const ticks = pace.slotTimeMs > 0 && !pace.isHeld
    cancel = ticks ? clock.every(pace.slotTimeMs, advance) : () => {}
  }
  arm()
  return {
    get pace() {
      return pace
    },
    change(wanted) {
      pace = { ...pace, ...wanted }
      arm()
    },
    runSlot() {
      const { changesPerSlot, slotTimeMs } = pace
      // A ledger that began without sample accounts has nothing to change, and no traders.
      if (changesPerSlot === 0 || pools.length === 0) return
      churn(parts, pools, changesPerSlot)
      const everySlots = slotTimeMs === 0 ? 1 : Math.max(1, Math.ceil(TRANSACTION_MS / slotTimeMs))
      if (parts.slots.now % everySlots === 0) traffic.sendNext()
    },
    tokenAccounts: () => pools.reduce((sum, { keys }) => sum + keys.length, 0),
  }
}
