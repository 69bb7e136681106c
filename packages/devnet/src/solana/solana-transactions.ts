import type { Account } from '../../../../src/core/solana/account.ts'
import { encodeBase58, encodeKey } from '../../../../src/core/solana/base58.ts'
import { isTokenProgram, PROGRAM_KEYS, sameKey } from '../../../../src/core/solana/programs.ts'
import { namedError, type TransactionError } from './methods/solana-error-words.ts'
import type { AccountHistory } from './solana-account-history.ts'
import type { Machine, TransactionOutcome } from './solana-machine.ts'
import type { Slots } from './solana-slots.ts'
import { isWritable, type WireTransaction } from './solana-transaction.ts'

/** All accounts of a transaction, in the order in which its instructions count them. */
type LoadedKeys = {
  keys: readonly Uint8Array[]
  writable: readonly boolean[]
  /** From lookup tables: first those that may be written to. */
  fromTables: { writable: readonly Uint8Array[]; readonly: readonly Uint8Array[] }
}

/** A transaction that is part of the ledger, whether it succeeded or only paid its fee. */
export type Receipt = {
  signature: string
  slot: number
  unixSeconds: number
  transaction: WireTransaction
  loaded: LoadedKeys
  outcome: TransactionOutcome
  /** With the data of token accounts alone: no other is ever shown again. */
  before: readonly (Account | null)[]
  after: readonly (Account | null)[]
}

export type Transactions = {
  /** Runs it without effect. `asIs` looks at neither blockhash nor repetition. */
  rehearse(
    transaction: WireTransaction,
    options: { verify: boolean; asIs: boolean },
  ): { outcome: TransactionOutcome; after: readonly Account[] }
  /** Runs a transaction once; null when it left no trace in the ledger, and why. */
  run(transaction: WireTransaction): { receipt: Receipt | null; outcome: TransactionOutcome }
  find(signature: string): Receipt | null
  /** The transactions of one of the last slots, in the order in which they ran. */
  inSlot(slot: number): readonly Receipt[]
  /** All that are remembered, the newest first. */
  newestFirst(): readonly Receipt[]
  readonly count: number
}

/** The transactions of a ledger that was kept: the last ones, oldest first, and their number. */
type TransactionsBefore = { receipts: readonly Receipt[]; transactions: number }

/** The name of the error. */
export const SIGNATURE_FAILURE = 'SignatureFailure'

type Needs = { machine: Machine; history: AccountHistory; slots: Slots }

/**
 * Enough for whatever is developed here. Younger ones than a blockhash can be are kept beyond
 * it: only by them a repeated transaction is known for one.
 */
const RECEIPTS_MAX = 5_000
const KEPT_SLOTS_MIN = 152

/** Slots whose transactions can be listed: as many as it takes until one is final, and more. */
const LISTED_SLOTS_MAX = 16

/** A lookup table begins with its own facts; the keys follow. */
const TABLE_HEAD_BYTES = 56
const KEY_BYTES = 32

/** Runs transactions by the rules of a cluster, each at most once, and remembers the last ones. */
export function openTransactions(
  needs: Needs,
  before: TransactionsBefore = { receipts: [], transactions: 0 },
  hear: (receipt: Receipt) => void = () => {},
): Transactions {
  const { machine, history, slots } = needs
  const receipts = new Map(before.receipts.map((receipt) => [receipt.signature, receipt]))
  const bySlot = new Map<number, Receipt[]>()
  let count = before.transactions

  const refusal = (transaction: WireTransaction): TransactionError | null => {
    if (receipts.has(signatureOf(transaction))) return namedError('AlreadyProcessed')
    const blockhash = encodeKey(transaction.recentBlockhash)
    return slots.isRecent(blockhash, slots.now) ? null : namedError('BlockhashNotFound')
  }

  const keep = (receipt: Receipt) => {
    receipts.set(receipt.signature, receipt)
    bySlot.set(receipt.slot, [...(bySlot.get(receipt.slot) ?? []), receipt])
    for (const slot of bySlot.keys()) {
      if (slots.now - slot > LISTED_SLOTS_MAX) bySlot.delete(slot)
    }
    for (const [signature, { slot }] of receipts) {
      if (receipts.size <= RECEIPTS_MAX || slots.now - slot < KEPT_SLOTS_MIN) break
      receipts.delete(signature)
    }
  }

  return {
    rehearse(transaction, { verify, asIs }) {
      const error = asIs ? null : refusal(transaction)
      const rehearsed = machine.rehearse(transaction, verify)
      // A node looks at the signatures before anything else.
      const forged = rehearsed.outcome.error?.name === SIGNATURE_FAILURE
      return error === null || forged ? rehearsed : { outcome: refused(error), after: [] }
    },
    run(transaction) {
      const error = refusal(transaction)
      if (error !== null) return { receipt: null, outcome: refused(error) }

      const loaded = loadKeys(history, slots.now, transaction)
      const written = loaded.keys.filter((_, at) => loaded.writable[at])
      const states = () => loaded.keys.map((key) => balanceOf(history.at(key, slots.now)))
      const first = states()
      const outcome = history.change(written, () => machine.run(transaction))
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
      hear(receipt)
      return { receipt, outcome }
    },
    find: (signature) => receipts.get(signature) ?? null,
    inSlot: (slot) => bySlot.get(slot) ?? [],
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

function loadKeys(history: AccountHistory, slot: number, transaction: WireTransaction): LoadedKeys {
  const writable: Uint8Array[] = []
  const readonly: Uint8Array[] = []
  for (const lookup of transaction.lookups) {
    const table = history.at(lookup.table, slot)
    // The machine refuses a transaction with a table or a place that is not there.
    if (table === null || !sameKey(table.owner, PROGRAM_KEYS.addressLookupTable)) continue
    writable.push(...keysIn(table.data, lookup.writable))
    readonly.push(...keysIn(table.data, lookup.readonly))
  }
  return {
    keys: [...transaction.keys, ...writable, ...readonly],
    writable: [
      ...transaction.keys.map((_, at) => isWritable(transaction, at)),
      ...writable.map(() => true),
      ...readonly.map(() => false),
    ],
    fromTables: { writable, readonly },
  }
}

function keysIn(table: Uint8Array, places: Uint8Array): Uint8Array[] {
  const starts = [...places].map((place) => TABLE_HEAD_BYTES + place * KEY_BYTES)
  return starts
    .filter((start) => start + KEY_BYTES <= table.length)
    .map((start) => table.slice(start, start + KEY_BYTES))
}
