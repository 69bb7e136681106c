import { assert } from '../../../../src/core/errors.ts'
import type { Clock } from '../../../../src/ports/clock.ts'
import { type Activity, openActivity, type PaceState } from './activity/activity.ts'
import { beginLedger } from './activity/begin-ledger.ts'
import { type AccountHistory, openAccountHistory } from './solana-account-history.ts'
import { type Machine, openMachine } from './solana-machine.ts'
import { type SolanaPut, solanaPut } from './solana-put.ts'
import { openSender, type Sender } from './solana-sender.ts'
import { FINALIZED_LAG_SLOTS, openSlots, type Slots } from './solana-slots.ts'
import { openTransactions, type Transactions } from './solana-transactions.ts'
import { ledgerBefore } from './state/ledger-before.ts'
import type { LedgerSaver } from './state/ledger-saver.ts'

/** A whole ledger in this process: accounts, slots, transactions, and a faucet. */
export type SolanaChain = {
  history: AccountHistory
  slots: Slots
  transactions: Transactions
  rentExemptLamports: Machine['rentExemptLamports']
  airdrop: Sender['airdrop']
  put: SolanaPut
  /** Ends the slot and tells everyone who listens. */
  advance(): void
  /** Hears after each slot that ended. */
  onSlot(listener: () => void): void
  activity: Activity
}

type ChainOptions = {
  /** How many token accounts a new ledger begins with, beside the documented ones. */
  tokenAccounts?: number
  pace?: PaceState
  /** Keeps the ledger in a file, and has the one that it held before. */
  saver?: LedgerSaver | null
}

/** A ledger in which nothing happens by itself. */
const QUIET: PaceState = { slotTimeMs: 0, isHeld: false, changesPerSlot: 0 }

/** The slot of `finalized` itself, all after it, and the one that is open. */
const SLOTS_KEPT = FINALIZED_LAG_SLOTS + 2

/** Opens a ledger whose newest slot is this one. */
export function openSolanaChain(
  clock: Clock,
  slotNow: number,
  { tokenAccounts = 0, pace = QUIET, saver = null }: ChainOptions = {},
): SolanaChain {
  const before = ledgerBefore(saver?.restore() ?? null, slotNow)
  const { firstSlot, wasBegun } = before
  const machine = openMachine()
  const rentExempt = machine.rentExemptLamports
  const history = openAccountHistory(machine, firstSlot, SLOTS_KEPT, saver?.hearChange)
  const fault = history.adopt(before.accounts)
  assert(fault === null, `a machine takes what another one has made (${fault})`)
  const slotsBefore = wasBegun ? { slots: before.slots, salt: `${firstSlot}` } : null
  const slots = openSlots({ clock, machine, history }, firstSlot, slotsBefore)
  const needs = { machine, history, slots }
  const transactions = openTransactions(needs, before, saver?.hearReceipt)
  const put = solanaPut(needs)
  const { send, airdrop } = openSender(slots, transactions)
  if (!wasBegun) beginLedger({ history, slots, put, send, rentExempt }, tokenAccounts)

  const listeners: (() => void)[] = []
  const moveOn = () => {
    activity.runSlot()
    saver?.reserve(slots.now + 1)
    slots.advance()
  }
  const advance = () => {
    moveOn()
    for (const listener of listeners) listener()
  }
  const activity = openActivity({ clock, history, slots, put, send, rentExempt, advance }, pace)
  // A caller that asks for `finalized` at the start finds all of it there already. A ledger that
  // goes on is shown as it was: nothing has happened while it was away.
  while (slots.now < slotNow) wasBegun ? slots.advance() : moveOn()
  saver?.watch({ slots, transactions })
  const onSlot = (listener: () => void) => void listeners.push(listener)
  const parts = { history, slots, transactions, rentExemptLamports: rentExempt, activity }
  return { ...parts, airdrop, put, advance, onSlot }
}
