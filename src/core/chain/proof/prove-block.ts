import { isJsonObject } from '../../json/json-value.ts'
import type { RawObject } from '../block.ts'
import { type BloomBits, openBloomBits } from '../logs-bloom.ts'
import { headerDigits, unknownMember } from './header-digits.ts'
import { keccakDigits } from './keccak-digits.ts'
import { proveReceipts } from './prove-receipts.ts'
import { proveTransactions } from './prove-transactions.ts'
import { fixedDigits, isAbsent, rlpQuantity, UnreadableMember } from './raw-members.ts'
import { rlpBytes, rlpList } from './rlp.ts'
import { trieRoot } from './trie-root.ts'

export type ProofParts = {
  hash: string
  block: unknown
  receipts: unknown
  hasReceipts: boolean
  /** False where `transactions` has hashes alone. */
  hasTransactions: boolean
  /** Senders are in no root: each is recovered from its signature, which takes the longest. */
  hasSenders: boolean
}

/**
 * `refuted`: something is not what the hash says. `unknown_form`: the block has something in it
 * that this version cannot encode, as after a fork of the chain.
 */
export type Proof =
  | { kind: 'proven' }
  | { kind: 'refuted'; reason: string }
  | { kind: 'unknown_form'; reason: string }

const PROVEN: Proof = { kind: 'proven' }

/**
 * Whether all that was read of a block is what its hash stands for. Hostile input gives a
 * reason, never an exception.
 */
export function proveBlock(parts: ProofParts, known: BloomBits = openBloomBits()): Proof {
  return withoutException(() => blockProof(parts, known))
}

function withoutException(prove: () => Proof): Proof {
  try {
    return prove()
  } catch (thrown) {
    // Digits that are none are found when they are to become bytes.
    if (thrown instanceof SyntaxError) return refuted('something in it is not of its form')
    if (!(thrown instanceof UnreadableMember)) throw thrown
    return refuted(`a member ${thrown.member} is not of its form, or not of its place`)
  }
}

function blockProof(parts: ProofParts, known: BloomBits): Proof {
  const { block, hash, hasTransactions, hasSenders, receipts } = parts
  if (!isJsonObject(block)) return refuted('there is no block')
  const header = proveHeader(block, hash)
  if (header.kind !== 'proven') return header
  if (!hasWithdrawals(block, withdrawalDigits(block))) {
    return refuted('the withdrawals are not those of the withdrawalsRoot')
  }
  if (!hasTransactions) return PROVEN

  const sent = proveTransactions(block, block.transactions, hasSenders)
  if (sent.kind !== 'proven') return sent
  if (parts.hasReceipts) {
    const transactions = block.transactions as readonly RawObject[]
    const complaint = proveReceipts({ block, transactions, types: sent.types }, receipts, known)
    if (complaint !== null) return refuted(complaint)
  }
  return PROVEN
}

/** Whether the hash is made of the header's members; transactions are not looked at. */
export function proveHeader(block: RawObject, hash: string): Proof {
  const proof = withoutException(() => {
    if (`0x${keccakDigits(headerDigits(block))}` === hash.toLowerCase()) return PROVEN
    return refuted('the header is not what its hash is made of')
  })
  // A fork can also drop a member, so a header that cannot be encoded may have an unknown form.
  const unknown = proof.kind === 'proven' ? null : unknownMember(block)
  if (unknown === null) return proof
  return { kind: 'unknown_form', reason: `the header has an unknown member ${unknown}` }
}

/** Each withdrawal in hex digits; null for a block from before there were any. */
function withdrawalDigits({ withdrawals, withdrawalsRoot }: RawObject): string[] | null {
  if (isAbsent(withdrawalsRoot)) return isAbsent(withdrawals) ? null : []
  if (!Array.isArray(withdrawals)) throw new UnreadableMember('withdrawals')
  return withdrawals.map((one: unknown) => {
    if (!isJsonObject(one)) throw new UnreadableMember('withdrawals')
    const { index, validatorIndex, address, amount } = one
    return rlpList(
      rlpQuantity(index, 'index') +
        rlpQuantity(validatorIndex, 'validatorIndex') +
        rlpBytes(fixedDigits(address, 'address', 20)) +
        rlpQuantity(amount, 'amount'),
    )
  })
}

function hasWithdrawals({ withdrawalsRoot }: RawObject, digits: readonly string[] | null) {
  if (isAbsent(withdrawalsRoot)) return digits === null
  return `0x${trieRoot(digits ?? [])}` === String(withdrawalsRoot).toLowerCase()
}

function refuted(reason: string): Proof {
  return { kind: 'refuted', reason }
}
