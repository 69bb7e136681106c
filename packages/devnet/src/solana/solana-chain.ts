import { assert } from '../assert.ts'
import type { Clock } from '../clock.ts'
import type { SolanaDevnetPace } from '../devnet-control.ts'
import { openActivity } from './activity/activity.ts'
import { sampleAccounts } from './activity/sample-accounts.ts'
import { openAccounts } from './solana-accounts.ts'
import { FIRST_SLOT } from './solana-asleep.ts'
import { genesisAccounts } from './solana-genesis.ts'
import { openMachine } from './solana-machine.ts'
import { openSlots } from './solana-slots.ts'
import { openSender, openTransactions } from './solana-transactions.ts'

export type SolanaChain = ReturnType<typeof openSolanaChain>

type ChainOptions = {
  /** How many token accounts the ledger begins with, beside the documented ones. */
  tokenAccounts?: number
  pace?: SolanaDevnetPace
}

const QUIET: SolanaDevnetPace = { slotTimeMs: 0, isHeld: false, changesPerSlot: 0 }

export function openSolanaChain(
  clock: Clock,
  slotNow: number,
  { tokenAccounts = 0, pace = QUIET }: ChainOptions = {},
) {
  assert(slotNow > FIRST_SLOT, 'a slot has ended, in which the ledger began')
  const machine = openMachine()
  const rentExempt = machine.rentExemptLamports
  const accounts = openAccounts(machine)
  const slots = openSlots(clock, machine, accounts, slotNow - 1)
  const transactions = openTransactions(machine, accounts, slots)
  const { send, airdrop } = openSender(slots, transactions)
  const samples = sampleAccounts(tokenAccounts, rentExempt)
  for (const account of [...genesisAccounts(rentExempt), ...samples.accounts]) {
    const fault = accounts.put(account)
    assert(fault === null, `the ledger begins with what it promises (${fault})`)
  }
  // A caller that asks for `finalized` at the start finds all of it there already.
  slots.advance()

  const listeners: (() => void)[] = []
  const advance = () => {
    activity.runSlot()
    slots.advance()
    for (const listener of listeners) listener()
  }
  const parts = { accounts, slots, send, rentExempt }
  const activity = openActivity(clock, parts, samples.pools, pace, advance)
  const onSlot = (listener: () => void) => void listeners.push(listener)
  return { accounts, slots, transactions, rentExempt, airdrop, advance, onSlot, activity }
}
