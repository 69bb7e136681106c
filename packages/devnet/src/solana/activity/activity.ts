import type { Clock } from '../../../../../src/ports/clock.ts'
import { type Churn, openChurn } from './churn.ts'
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

type Needs = Parameters<typeof openChurn>[0] &
  Parameters<typeof openTraffic>[0] & { clock: Clock; advance(): void }

/** The ledger has about so much time between transactions of its own, however short its slots. */
const TRANSACTION_MS = 300

/** Ends slots by time. The accounts that take part are looked up in the first one. */
export function openActivity(needs: Needs, first: PaceState): Activity {
  const { clock, slots, advance } = needs
  let pace = first
  let churn: Churn | null = null
  let traffic: ReturnType<typeof openTraffic> | null = null
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
      if (changesPerSlot === 0) return
      churn ??= openChurn(needs)
      traffic ??= openTraffic(needs)
      churn.apply(changesPerSlot)
      const everySlots = slotTimeMs === 0 ? 1 : Math.max(1, Math.ceil(TRANSACTION_MS / slotTimeMs))
      if (slots.now % everySlots === 0) traffic.sendNext()
    },
    tokenAccounts() {
      churn ??= openChurn(needs)
      return churn.tokenAccounts
    },
  }
}
