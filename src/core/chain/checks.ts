import { isAddress, isBytes, isHash32, isHexOf, quantityToNumber } from '../hex.ts'
import { isJsonObject } from '../json/json-value.ts'
import type { Block, BlockLog, BlockTransaction, RawObject } from './block.ts'
import {
  addToBloom,
  BLOOM_BYTES,
  type BloomBits,
  bloomWithin,
  isZeroBloom,
  mergeBloom,
  sameBloom,
} from './logs-bloom.ts'
import { trieRoot } from './proof/trie-root.ts'
import { type ChainQuirks, uncountedOf } from './quirks.ts'
import { HEADER_FORMS, isBloom, misshapen, RECEIPT_FORMS, TRANSACTION_FORMS } from './raw-forms.ts'

/** The block that something should belong to; the hash in lower case. */
export type BlockRef = { number: number; hash: string }

/** A sentence for the log about what disagrees; null when nothing does. */
type Complaint = string | null

const TOPICS_MAX = 4
const ZERO_HASH = `0x${'0'.repeat(64)}`

/** The transactions root of an empty block. Chains without such a root report zeros. */
const EMPTY_ROOTS = [`0x${trieRoot([])}`, ZERO_HASH]

export function checkHeader(raw: RawObject, asked: BlockRef): Complaint {
  if (!isHexOf(raw.hash, asked.hash)) return 'the block has another hash'
  if (quantityToNumber(raw.number) !== asked.number) return 'the block has another number'
  if (!isHash32(raw.parentHash)) return 'the block names no parent'
  if (!Array.isArray(raw.transactions)) return 'the block has no list of transactions'
  const bad = misshapen(raw, HEADER_FORMS)
  return bad && `the block's ${bad} is not of its form`
}

export function checkTransaction(raw: unknown, index: number, block: BlockRef): Complaint {
  const name = `transaction ${index}`
  if (!isJsonObject(raw)) return `${name} is no object`
  const stray = strayMember(raw, index, block)
  if (stray) return `${name} has another ${stray}`
  if (!isHash32(raw.hash)) return `${name} has no hash`
  if (!isAddress(raw.from)) return `${name} has no sender`
  const bad = misshapen(raw, TRANSACTION_FORMS)
  return bad && `the ${bad} of ${name} is not of its form`
}

/** Whether it is the receipt of this transaction. Its logs are looked at one by one. */
export function checkReceipt(
  raw: unknown,
  transaction: BlockTransaction,
  block: BlockRef,
): Complaint {
  const { index } = transaction
  const name = `receipt ${index}`
  if (!isJsonObject(raw)) return `${name} is no object`
  if (!isHexOf(raw.transactionHash, transaction.hash)) return `${name} has another transactionHash`
  const stray = strayMember(raw, index, block)
  if (stray) return `${name} has another ${stray}`
  if (!Array.isArray(raw.logs)) return `${name} has no logs`
  const bad = misshapen(raw, RECEIPT_FORMS)
  return bad && `the ${bad} of ${name} is not of its form`
}

export function checkLog(
  raw: unknown,
  transaction: BlockTransaction,
  block: BlockRef,
  quirks: ChainQuirks,
): Complaint {
  const name = `a log of receipt ${transaction.index}`
  if (!isJsonObject(raw)) return `${name} is no object`
  const ours =
    isHexOf(raw.transactionHash, transaction.hash) ||
    (quirks.logsMayNameNoTransaction && raw.transactionHash === ZERO_HASH)
  if (!ours) return `${name} has another transactionHash`
  const stray = strayMember(raw, transaction.index, block)
  if (stray) return `${name} has another ${stray}`
  if (raw.removed === true) return `${name} is said to be removed`
  if (!isAddress(raw.address)) return `${name} has no address`
  const { topics } = raw
  if (!Array.isArray(topics) || topics.length > TOPICS_MAX || !topics.every(isHash32)) {
    return `the topics of ${name} are not of their form`
  }
  if (!isBytes(raw.data)) return `the data of ${name} is not of its form`
  return quantityToNumber(raw.logIndex) === null ? `${name} has no logIndex` : null
}

/**
 * Whether a block on a network without proofs looks complete. A fork can break any of these
 * rules, so they don't apply to a proven block, or to one that most upstreams agree on.
 */
export function checkPlausible(block: Block, quirks: ChainQuirks, known: BloomBits): Complaint {
  if (hasLostTransactions(block)) return 'the block has used gas and no transactions'
  if (!block.has.receipts) return null
  return checkLogOrder(block.logs, quirks) ?? checkBlooms(block, quirks, known)
}

/** Some nodes briefly return an empty list. The root shows whether the block really is empty. */
function hasLostTransactions({ raw, transactionCount }: Block): boolean {
  if (transactionCount > 0 || (quantityToNumber(raw.gasUsed) ?? 0) === 0) return false
  const { transactionsRoot } = raw
  return isHash32(transactionsRoot) && !EMPTY_ROOTS.includes(transactionsRoot.toLowerCase())
}

function checkLogOrder(logs: readonly BlockLog[], quirks: ChainQuirks): Complaint {
  if (quirks.logIndexesMayRepeat) return null
  const at = logs.findIndex((log, place) => place > 0 && log.index <= (logs[place - 1]?.index ?? 0))
  return at < 0 ? null : `the logIndex of log ${at} is not above the one before it`
}

/**
 * Whether the blooms are made of these logs, so that none is missing or made up. The
 * header's is so full on a busy chain that it knows half of all addresses; those of the
 * receipts are nearly empty.
 */
function checkBlooms(
  { raw: header, transactions }: Block,
  quirks: ChainQuirks,
  known: BloomBits,
): Complaint {
  const said = bloomIn(header)
  if (!said) return quirks.bloomMayBeZero ? null : 'the block has no logsBloom'
  if (quirks.bloomMayBeZero && isZeroBloom(said)) return null
  const uncounted = uncountedOf(transactions, quirks)
  const all = new Uint8Array(BLOOM_BYTES)
  const counted = new Uint8Array(BLOOM_BYTES)
  for (const transaction of transactions) {
    const own = new Uint8Array(BLOOM_BYTES)
    for (const log of transaction.logs) addLog(own, log, known)
    mergeBloom(all, own)
    if (uncounted.has(transaction)) continue
    mergeBloom(counted, own)
    const ownSaid = bloomIn(transaction.receipt)
    if (ownSaid && !isZeroBloom(ownSaid) && !sameBloom(ownSaid, own)) {
      return `the logsBloom of receipt ${transaction.index} is not made of its logs`
    }
  }
  if (!bloomWithin(said, all)) return 'the logsBloom tells of logs that the receipts lack'
  return bloomWithin(counted, said) ? null : 'the receipts have logs that the logsBloom lacks'
}

/** The member that says this belongs to another block or place; null when it belongs. */
function strayMember(raw: RawObject, index: number, block: BlockRef): string | null {
  if (!isHexOf(raw.blockHash, block.hash)) return 'blockHash'
  if (quantityToNumber(raw.blockNumber) !== block.number) return 'blockNumber'
  return quantityToNumber(raw.transactionIndex) === index ? null : 'transactionIndex'
}

export function bloomIn(raw: RawObject | null): Uint8Array | null {
  return isBloom(raw?.logsBloom) ? Uint8Array.fromHex(raw.logsBloom.slice(2)) : null
}

function addLog(bloom: Uint8Array, log: BlockLog, known: BloomBits): void {
  addToBloom(bloom, log.address, known)
  for (const topic of log.topics) addToBloom(bloom, topic, known)
}
