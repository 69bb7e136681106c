import { assert } from '../../../../src/core/errors.ts'
import type { Account } from '../../../../src/core/solana/account.ts'
import { PROGRAM_KEYS, sameKey } from '../../../../src/core/solana/programs.ts'
import type { Clock } from '../../../../src/ports/clock.ts'
import { type AccountHistory, openAccountHistory } from './solana-account-history.ts'
import { SLOTS_AT_START } from './solana-asleep.ts'
import { FAUCET, FAUCET_LAMPORTS, genesisSteps, told, transfer } from './solana-genesis.ts'
import { type Machine, openMachine } from './solana-machine.ts'
import { type Instruction, type KeyPair, signedTransaction } from './solana-message.ts'
import { FINALIZED_LAG_SLOTS, openSlots, type Slots } from './solana-slots.ts'
import { readTransaction } from './solana-transaction.ts'
import { openTransactions, type Receipt, type Transactions } from './solana-transactions.ts'

/** A whole ledger in this process: accounts, slots, transactions, and a faucet. */
export type SolanaChain = {
  history: AccountHistory
  slots: Slots
  transactions: Transactions
  rentExemptLamports: Machine['rentExemptLamports']
  /** A transfer from the faucet, or in words why it failed. */
  airdrop(to: Uint8Array, lamports: bigint): Receipt | string
  /** Writes an account past all rules, or says in words why not; without lamports it closes it. */
  put(account: Account): string | null
  /** Ends the slot and tells everyone who listens. */
  advance(): void
  /** Hears after each slot that ended. */
  onSlot(listener: () => void): void
}

type Signers = readonly [KeyPair, ...KeyPair[]]

/** The rent of an account that is exempt from it, as a cluster writes it. */
const RENT_EXEMPT_EPOCH = 18_446_744_073_709_551_615n

/** The compute units that a transaction gets by default; from here the faucet counts up. */
const UNITS_USUAL = 200_000
const UNITS_SPREAD = 1_000_000

/** The slot of `finalized` itself, all after it, and the one that is open. */
const SLOTS_KEPT = FINALIZED_LAG_SLOTS + 2

/** Opens a ledger whose newest slot is this one. */
export function openSolanaChain(clock: Clock, slotNow: number): SolanaChain {
  const firstSlot = slotNow - SLOTS_AT_START
  const machine = openMachine()
  const history = openAccountHistory(machine, firstSlot, SLOTS_KEPT)
  const slots = openSlots({ clock, machine, history }, firstSlot)
  const transactions = openTransactions({ machine, history, slots })
  const listeners: (() => void)[] = []
  let airdrops = 0

  const put = (account: Account) => {
    const flaw = flawOf(history.at(account.pubkey, slots.now), account)
    return flaw ?? history.change([account.pubkey], () => machine.put(account))
  }

  const send = (signers: Signers, instructions: readonly Instruction[]): Receipt | string => {
    const blockhash = slots.find(slots.now)?.hash
    assert(blockhash !== undefined, 'the slot of now has a blockhash')
    const transaction = readTransaction(signedTransaction(signers, blockhash, instructions))
    assert(typeof transaction !== 'string', 'our own transactions are well formed')
    const { receipt, outcome } = transactions.run(transaction)
    return receipt === null || outcome.error !== null ? (outcome.error?.words ?? '') : receipt
  }

  const chain: SolanaChain = {
    history,
    slots,
    transactions,
    rentExemptLamports: machine.rentExemptLamports,
    airdrop(to, lamports) {
      airdrops = (airdrops + 1) % UNITS_SPREAD
      const unique = told(UNITS_USUAL + airdrops)
      return send([FAUCET], [unique, transfer(FAUCET.key, to, lamports)])
    },
    put,
    advance() {
      slots.advance()
      for (const listener of listeners) listener()
    },
    onSlot: (listener) => void listeners.push(listener),
  }
  put({
    pubkey: FAUCET.key,
    owner: PROGRAM_KEYS.system,
    lamports: FAUCET_LAMPORTS,
    rentEpoch: RENT_EXEMPT_EPOCH,
    executable: false,
    data: new Uint8Array(),
  })
  for (const { signers, instructions } of genesisSteps(machine.rentExemptLamports)) {
    const receipt = send(signers, instructions)
    assert(typeof receipt !== 'string', 'the ledger begins with what it promises')
  }
  // A caller that asks for `finalized` at the start finds all of it there already.
  for (let slot = 0; slot < SLOTS_AT_START; slot++) slots.advance()
  return chain
}

/** A machine that misses a program or a sysvar it has known ends the process. */
function flawOf(was: Account | null, { executable, lamports }: Account): string | null {
  if (was === null) return null
  if (sameKey(was.owner, PROGRAM_KEYS.sysvar)) return 'a sysvar is changed by the ledger alone'
  const isProgram = executable && lamports > 0n
  return was.executable && !isProgram ? 'a program cannot be taken away' : null
}
