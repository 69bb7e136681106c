import { secp256k1 } from '@noble/curves/secp256k1.js'
import { isHexOf } from '../../hex.ts'
import { isJsonObject } from '../../json/json-value.ts'
import type { RawObject } from '../block.ts'
import { keccakDigits } from './keccak-digits.ts'
import { isAbsent, quantity, smallQuantity } from './raw-members.ts'
import { gasPricePaid, type TransactionDigits, transactionDigits } from './transaction-digits.ts'
import { trieRoot } from './trie-root.ts'

type TransactionsProof =
  | { kind: 'proven'; types: number[] }
  | { kind: 'refuted'; reason: string }
  | { kind: 'unknown_form'; reason: string }

/** The address is the end of the hash of the public key. */
const ADDRESS_DIGITS = 40

/** The list is compared with the root; each hash, price and sender is made anew. */
export function proveTransactions(
  block: RawObject,
  list: unknown,
  hasSenders: boolean,
): TransactionsProof {
  if (!Array.isArray(list)) return { kind: 'refuted', reason: 'there are no transactions' }
  const types: number[] = []
  const values: string[] = []
  for (const [index, raw] of list.entries()) {
    const refuted = (what: string): TransactionsProof => {
      return { kind: 'refuted', reason: `transaction ${index} has another ${what}` }
    }
    if (!isJsonObject(raw)) return refuted('form')
    const digits = transactionDigits(raw)
    if (digits === null) {
      return { kind: 'unknown_form', reason: `transaction ${index} is of an unknown type` }
    }
    const other = otherMember(raw, digits, block, hasSenders)
    if (other !== null) return refuted(other)
    types.push(digits.type)
    values.push(digits.bytes)
  }
  if (`0x${trieRoot(values)}` === String(block.transactionsRoot).toLowerCase()) {
    return { kind: 'proven', types }
  }
  return { kind: 'refuted', reason: 'the transactions are not those of the transactionsRoot' }
}

/** A member outside of the root that is not what follows from the others. */
function otherMember(
  raw: RawObject,
  digits: TransactionDigits,
  block: RawObject,
  hasSenders: boolean,
): string | null {
  if (!isHexOf(raw.hash, `0x${keccakDigits(digits.bytes)}`)) return 'hash'
  const paid = gasPricePaid(raw, digits.type, block)
  if (!isAbsent(raw.gasPrice) && quantity(raw, 'gasPrice') !== paid) return 'gasPrice'
  if (isOtherTime(raw, block)) return 'blockTimestamp'
  if (!hasSenders) return null
  const { r, s } = raw
  const sender = recoverSender(digits.signed, digits.parity, String(r), String(s))
  return sender === String(raw.from).toLowerCase() ? null : 'from'
}

/** The address that has signed these digits; null where the signature is none. */
export function recoverSender(signed: string, parity: 0 | 1, r: string, s: string): string | null {
  const digest = Uint8Array.fromHex(keccakDigits(signed))
  try {
    const signature = new secp256k1.Signature(BigInt(r), BigInt(s), parity)
    const key = signature.recoverPublicKey(digest).toHex(false)
    // The first byte tells the form of the key.
    return `0x${keccakDigits(key.slice(2)).slice(-ADDRESS_DIGITS)}`
  } catch {
    // Numbers beyond the curve, or no point on it.
    return null
  }
}

/** Newer nodes tell the time of the block with each of its parts. */
export function isOtherTime(raw: RawObject, block: RawObject): boolean {
  const { blockTimestamp } = raw
  // Hot path: nodes spell one number in one way.
  if (isAbsent(blockTimestamp) || blockTimestamp === block.timestamp) return false
  return smallQuantity(raw, 'blockTimestamp') !== smallQuantity(block, 'timestamp')
}
