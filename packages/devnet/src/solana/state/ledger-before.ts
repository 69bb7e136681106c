import type { Account } from '../../../../../src/core/solana/account.ts'
import { SLOTS_AT_START } from '../solana-asleep.ts'
import { type LedgerSlot, SLOT_HASHES_MAX } from '../solana-slots.ts'
import type { Receipt } from '../solana-transactions.ts'
import type { KeptLedger } from './ledger-records.ts'
import { unpackReceipt } from './packed-receipt.ts'

/** The part of a ledger from before this process. */
export type LedgerBefore = {
  /** False: there was none, and the ledger has to be begun. */
  wasBegun: boolean
  accounts: readonly Account[]
  slots: readonly LedgerSlot[]
  receipts: readonly Receipt[]
  transactions: number
  /** The first slot of this process. */
  firstSlot: number
}

/**
 * After a start the slots since the last one are made up, unless they are so many that no
 * blockhash from before is good any more.
 */
const SLOTS_FILLED_MAX = 150

/** The beginning of a ledger whose newest slot is to be this one. */
export function ledgerBefore(kept: KeptLedger | null, slotNow: number): LedgerBefore {
  const firstSlot = slotNow - SLOTS_AT_START
  if (kept === null || kept.accounts.size === 0) {
    const nothing = { accounts: [], slots: [], receipts: [], transactions: 0 }
    return { wasBegun: false, ...nothing, firstSlot }
  }
  const slots = recentRun(kept.slots, slotNow)
  const last = slots.at(-1)
  return {
    wasBegun: true,
    accounts: programsLast([...kept.accounts.values()]),
    slots,
    receipts: kept.receipts.map(unpackReceipt),
    transactions: kept.transactions,
    firstSlot: last === undefined ? firstSlot : last.slot + 1,
  }
}

/** The unbroken end of the slots that were, where it is not too far from the slot of now. */
function recentRun(slots: readonly LedgerSlot[], slotNow: number): LedgerSlot[] {
  const last = slots.at(-1)
  if (last === undefined || slotNow - last.slot > SLOTS_FILLED_MAX) return []
  const first = slots.findLastIndex((one, at) => slots[at - 1]?.slot !== one.slot - 1)
  return slots.slice(first).slice(-SLOT_HASHES_MAX)
}

/** A program can be written only when the account with its code is there. */
function programsLast(accounts: readonly Account[]): Account[] {
  const isProgram = ({ executable }: Account) => executable
  return [...accounts.filter((one) => !isProgram(one)), ...accounts.filter(isProgram)]
}
