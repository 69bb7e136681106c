import { assert } from '../assert.ts'
import {
  type Account,
  decodeBase58,
  encodeBase58,
  isTokenProgram,
  PROGRAMS,
} from './solana-account.ts'
import type { Accounts } from './solana-accounts.ts'
import type { Machine, TransactionOutcome } from './solana-machine.ts'
import {
  FAUCET,
  type Instruction,
  type KeyPair,
  signedTransaction,
  transfer,
  unitsLimit,
} from './solana-message.ts'
import type { Slots } from './solana-slots.ts'
import { isWritable, readTransaction, type WireTransaction } from './solana-transaction.ts'
import { namedError, type TransactionError } from './transaction-error.ts'

/** A transaction that is part of the ledger, whether it succeeded or only paid its fee. */
export type Receipt = {
  signature: string
  slot: number
  unixSeconds: number
  transaction: WireTransaction
  loaded: ReturnType<typeof loadKeys>
  outcome: TransactionOutcome
  /** With the data of token accounts alone: no other is ever shown again. */
  before: readonly (Account | null)[]
  after: readonly (Account | null)[]
}

export type Transactions = ReturnType<typeof openTransactions>

export const SIGNATURE_FAILURE = 'SignatureFailure'

/**
 * Enough for whatever is developed here. Younger ones than a blockhash can be are kept beyond
 * it: only by them a repeated transaction is known for one.
 */
const RECEIPTS_MAX = 5_000
const KEPT_SLOTS_MIN = 152

/** A lookup table begins with its own facts; the keys follow. */
const TABLE_HEAD_BYTES = 56
const KEY_BYTES = 32

/** Runs transactions by the rules of a cluster, each at most once, and remembers the last ones. */
export function openTransactions(machine: Machine, accounts: Accounts, slots: Slots) {
  const receipts = new Map<string, Receipt>()
  let count = 0

  const refusal = (transaction: WireTransaction): TransactionError | null => {
    if (receipts.has(signatureOf(transaction))) return namedError('AlreadyProcessed')
    const blockhash = encodeBase58(transaction.recentBlockhash)
    return slots.isRecent(blockhash, slots.now) ? null : namedError('BlockhashNotFound')
  }

  const keep = (receipt: Receipt) => {
    receipts.set(receipt.signature, receipt)
    for (const [signature, { slot }] of receipts) {
      if (receipts.size <= RECEIPTS_MAX || slots.now - slot < KEPT_SLOTS_MIN) break
      receipts.delete(signature)
    }
  }

  return {
    /** Runs it without effect. `asIs` looks at neither blockhash nor repetition. */
    rehearse(transaction: WireTransaction, { verify, asIs }: { verify: boolean; asIs: boolean }) {
      const error = asIs ? null : refusal(transaction)
      const rehearsed = machine.rehearse(transaction, verify)
      // A node looks at the signatures before anything else.
      const forged = rehearsed.outcome.error?.name === SIGNATURE_FAILURE
      return error === null || forged ? rehearsed : { outcome: refused(error), after: [] }
    },
    /** Runs a transaction once; without a receipt it left no trace in the ledger. */
    run(transaction: WireTransaction): { receipt: Receipt | null; outcome: TransactionOutcome } {
      const error = refusal(transaction)
      if (error !== null) return { receipt: null, outcome: refused(error) }

      const loaded = loadKeys(accounts, transaction)
      const written = loaded.keys.filter((_, at) => loaded.writable[at])
      const states = () => loaded.keys.map((key) => balanceOf(accounts.at(key, 'processed')))
      const first = states()
      const outcome = accounts.change(written, () => machine.run(transaction))
      const after = states()
      // One that failed while it ran has paid its fee all the same; all others never happened.
      const paid = first[0]?.lamports !== after[0]?.lamports
      if (outcome.error !== null && !paid) return { receipt: null, outcome }

      count++
      const signature = signatureOf(transaction)
      const unixSeconds = slots.find(slots.now)?.unixSeconds ?? 0
      const facts = { signature, slot: slots.now, unixSeconds }
      const receipt = { ...facts, transaction, loaded, outcome, before: first, after }
      keep(receipt)
      return { receipt, outcome }
    },
    find: (signature: string) => receipts.get(signature) ?? null,
    /** The transactions of one of the last slots, in the order in which they ran. */
    inSlot: (slot: number) => [...receipts.values()].filter((receipt) => receipt.slot === slot),
    newestFirst: () => [...receipts.values()].reverse(),
    get count() {
      return count
    },
  }
}

/** A transaction is known by its first signature. */
export function signatureOf(transaction: WireTransaction): string {
  return encodeBase58(transaction.signatures[0] ?? new Uint8Array())
}

const NO_DATA = new Uint8Array()

/** To write a program takes hundreds of transactions, each of which has all of it anew. */
function balanceOf(account: Account | null): Account | null {
  if (account === null || isTokenProgram(account.owner)) return account
  return { ...account, data: NO_DATA }
}

function refused(error: TransactionError): TransactionOutcome {
  return { error, logs: [], unitsConsumed: 0n, feeLamports: 0n, returned: null, inner: [] }
}

/** All accounts of a transaction, in the order in which its instructions count them. */
function loadKeys(accounts: Accounts, transaction: WireTransaction) {
  const writable: string[] = []
  const readonly: string[] = []
  for (const lookup of transaction.lookups) {
    const table = accounts.at(encodeBase58(lookup.table), 'processed')
    // The machine refuses a transaction with a table or a place that is not there.
    if (table?.owner !== PROGRAMS.addressLookupTable) continue
    writable.push(...keysIn(table.data, lookup.writable))
    readonly.push(...keysIn(table.data, lookup.readonly))
  }
  return {
    keys: [...transaction.keys.map(encodeBase58), ...writable, ...readonly],
    writable: [
      ...transaction.keys.map((_, at) => isWritable(transaction, at)),
      ...writable.map(() => true),
      ...readonly.map(() => false),
    ],
    fromTables: { writable, readonly },
  }
}

function keysIn(table: Uint8Array, places: Uint8Array): string[] {
  const starts = [...places].map((place) => TABLE_HEAD_BYTES + place * KEY_BYTES)
  return starts
    .filter((start) => start + KEY_BYTES <= table.length)
    .map((start) => encodeBase58(table.slice(start, start + KEY_BYTES)))
}

type Signers = readonly [KeyPair, ...KeyPair[]]

export type Sender = ReturnType<typeof openSender>

/** The compute units that a transaction gets by default; from here the faucet counts up. */
const UNITS_USUAL = 200_000
const UNITS_SPREAD = 1_000_000

export function openSender(slots: Slots, transactions: Transactions) {
  let airdrops = 0
  /** Signs and runs a transaction; says in words why it failed. */
  const send = (signers: Signers, instructions: readonly Instruction[]): Receipt | string => {
    const blockhash = slots.find(slots.now)?.hash
    assert(blockhash !== undefined, 'the slot of now has a blockhash')
    const transaction = readTransaction(signedTransaction(signers, blockhash, instructions))
    assert(typeof transaction !== 'string', 'our own transactions are well formed')
    const { receipt, outcome } = transactions.run(transaction)
    return receipt === null || outcome.error !== null ? (outcome.error?.words ?? '') : receipt
  }
  return {
    send,
    airdrop(to: string, lamports: bigint): Receipt | string {
      airdrops = (airdrops + 1) % UNITS_SPREAD
      const unique = unitsLimit(UNITS_USUAL + airdrops)
      return send([FAUCET], [unique, transfer(FAUCET.key, decodeBase58(to), lamports)])
    },
  }
}
