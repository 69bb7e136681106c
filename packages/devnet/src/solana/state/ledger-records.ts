import type { Account } from '../../../../../src/core/solana/account.ts'
import { encodeKey } from '../../../../../src/core/solana/base58.ts'
import { bytesOf, u8, u32, u64 } from '../solana-bytes.ts'
import type { LedgerSlot } from '../solana-slots.ts'

/** A ledger as its file has it. */
export type KeptLedger = {
  /** By their keys in hex. */
  accounts: Map<string, Account>
  /** The last ones, oldest first. */
  slots: LedgerSlot[]
  /** Packed, oldest first. */
  receipts: Uint8Array[]
  transactions: number
  /** No slot above this one was ever shown. */
  slotReserved: number
}

const ACCOUNT = 1
const GONE = 2
const SLOT = 3
const RECEIPT = 4
const MARK = 5

/** Its kind and two numbers. */
const MARK_BYTES = 17

const KEY_BYTES = 32
const ID_BYTES = 32

/** A transaction cannot name an older blockhash, nor a program look further back. */
const SLOTS_MAX = 512
/** As many as are read back in a moment. */
const RECEIPTS_MAX = 1_000

export function emptyLedger(): KeptLedger {
  return { accounts: new Map(), slots: [], receipts: [], transactions: 0, slotReserved: 0 }
}

export function accountRecord(id: string, account: Account | null): Uint8Array {
  const key = Uint8Array.fromHex(id)
  if (account === null) return bytesOf(u8(GONE), key)
  const { owner, lamports, rentEpoch, executable, data } = account
  const numbers = [u64(lamports), u64(rentEpoch), u8(executable ? 1 : 0), u32(data.length)]
  return bytesOf(u8(ACCOUNT), key, owner, ...numbers, data)
}

export function slotRecord({ slot, unixSeconds, hash }: LedgerSlot): Uint8Array {
  return bytesOf(u8(SLOT), u64(BigInt(slot)), u64(BigInt(unixSeconds)), hash)
}

export function receiptRecord(packed: Uint8Array): Uint8Array {
  return bytesOf(u8(RECEIPT), u32(packed.length), packed)
}

export function markRecord(slotReserved: number, transactions: number): Uint8Array {
  return bytesOf(u8(MARK), u64(BigInt(slotReserved)), u64(BigInt(transactions)))
}

/** The mark at the end of a batch, which every batch has; null where it ends otherwise. */
export function markAtEnd(
  batch: Uint8Array,
): Pick<KeptLedger, 'slotReserved' | 'transactions'> | null {
  const mark = batch.subarray(-MARK_BYTES)
  if (mark.length < MARK_BYTES || mark[0] !== MARK) return null
  const view = viewOf(mark)
  return {
    slotReserved: Number(view.getBigUint64(1, true)),
    transactions: Number(view.getBigUint64(9, true)),
  }
}

/** Every record of a whole ledger. */
export function ledgerRecords(ledger: KeptLedger): Uint8Array[] {
  return [
    ...[...ledger.accounts].map(([id, account]) => accountRecord(id, account)),
    ...ledger.slots.map(slotRecord),
    ...ledger.receipts.map(receiptRecord),
    markRecord(ledger.slotReserved, ledger.transactions),
  ]
}

/** Does to a ledger what the records say, in their order; throws over bytes that are none. */
export function applyRecords(ledger: KeptLedger, given: Uint8Array): void {
  // A part of a Buffer would not be a copy, and an account must not share its bytes.
  const bytes = new Uint8Array(given.buffer, given.byteOffset, given.byteLength)
  let at = 0
  const take = (length: number) => {
    if (at + length > bytes.length) throw new RangeError('a record ends too early')
    at += length
    return bytes.slice(at - length, at)
  }
  const number64 = () => viewOf(take(8)).getBigUint64(0, true)
  const number32 = () => viewOf(take(4)).getUint32(0, true)
  while (at < bytes.length) {
    const kind = take(1)[0]
    if (kind === ACCOUNT) {
      const [pubkey, owner] = [take(ID_BYTES), take(KEY_BYTES)]
      const facts = { lamports: number64(), rentEpoch: number64(), executable: take(1)[0] === 1 }
      const account = { pubkey, owner, ...facts, data: take(number32()) }
      ledger.accounts.set(pubkey.toHex(), account)
    } else if (kind === GONE) ledger.accounts.delete(take(ID_BYTES).toHex())
    else if (kind === SLOT)
      keepSlot(ledger, Number(number64()), Number(number64()), take(KEY_BYTES))
    else if (kind === RECEIPT) keepReceipt(ledger, take(number32()))
    else if (kind === MARK) {
      ledger.slotReserved = Number(number64())
      ledger.transactions = Number(number64())
    } else throw new RangeError(`no record is of kind ${kind}`)
  }
}

export function keepReceipt({ receipts }: KeptLedger, packed: Uint8Array): void {
  receipts.push(packed)
  if (receipts.length > RECEIPTS_MAX * 2) receipts.splice(0, RECEIPTS_MAX)
}

export function keepSlot(
  { slots }: KeptLedger,
  slot: number,
  unixSeconds: number,
  hash: Uint8Array,
): void {
  slots.push({ slot, unixSeconds, hash, blockhash: encodeKey(hash) })
  if (slots.length > SLOTS_MAX * 2) slots.splice(0, SLOTS_MAX)
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
