import { quantityToNumber } from '../hex.ts'
import { isJsonObject } from '../json/json-value.ts'
import type { Block, BlockLog, BlockTransaction, BlockWants, Header, RawObject } from './block.ts'
import { type BlockRef, checkHeader, checkLog, checkReceipt, checkTransaction } from './checks.ts'
import { type ChainQuirks, uncountedOf } from './quirks.ts'
import { flattenTraces } from './traces.ts'

/** One node's answers about one block, none of them trusted. */
export type BlockParts = {
  expected: { number: number; hash: string }
  wants: BlockWants
  block: unknown
  /** The answer of `eth_getBlockReceipts`; not looked at unless wanted. */
  receipts: unknown
  /** The answer of `debug_traceBlockByHash` with the callTracer; not looked at unless wanted. */
  traces: unknown
}

const NONE: readonly never[] = []

/** Receipts and traces say nothing without their transactions, so they bring those along. */
export function wholeWants({ transactions, receipts, traces, senders }: BlockWants): BlockWants {
  const whole = { transactions: transactions || receipts || traces, receipts, traces }
  return senders ? { ...whole, senders } : whole
}

/**
 * Puts a block together from a node's answers, or says in a short sentence what disagrees. It
 * checks only identity, counts and shapes, which hold on every fork. Hostile input gives a
 * sentence, never an exception.
 */
export function assembleBlock(parts: BlockParts, quirks: ChainQuirks): Block | string {
  const { block: raw } = parts
  const expected = { ...parts.expected, hash: parts.expected.hash.toLowerCase() }
  if (!isJsonObject(raw)) return 'there is no block'
  const complaint = checkHeader(raw, expected)
  if (complaint !== null) return complaint

  const has = wholeWants(parts.wants)
  const listed = raw.transactions as readonly unknown[]
  const block: Block = {
    header: headerOf(raw, expected),
    raw,
    has,
    transactionCount: listed.length,
    transactions: NONE,
    logs: NONE,
    traces: NONE,
  }
  if (!has.transactions) return block

  const transactions = readTransactions(listed, expected)
  if (typeof transactions === 'string') return transactions
  const logs = has.receipts ? addReceipts(parts.receipts, transactions, expected, quirks) : NONE
  if (typeof logs === 'string') return logs
  const traces = has.traces
    ? flattenTraces(parts.traces, transactions, uncountedOf(transactions, quirks))
    : NONE
  if (typeof traces === 'string') return traces
  return { ...block, transactions, logs, traces }
}

function headerOf(raw: RawObject, { number, hash }: BlockRef): Header {
  return { number, hash, parentHash: String(raw.parentHash).toLowerCase() }
}

function readTransactions(
  listed: readonly unknown[],
  expected: BlockRef,
): BlockTransaction[] | string {
  const hashes = new Set<string>()
  const transactions: BlockTransaction[] = []
  for (const [index, raw] of listed.entries()) {
    const complaint = checkTransaction(raw, index, expected)
    if (complaint !== null) return complaint
    const transaction = toTransaction(raw as RawObject, index)
    if (hashes.has(transaction.hash)) return `transaction ${index} is there twice`
    hashes.add(transaction.hash)
    transactions.push(transaction)
  }
  return transactions
}

function toTransaction(raw: RawObject, index: number): BlockTransaction {
  return {
    index,
    hash: String(raw.hash).toLowerCase(),
    from: String(raw.from).toLowerCase(),
    to: typeof raw.to === 'string' ? raw.to.toLowerCase() : null,
    raw,
    receipt: null,
    logs: NONE,
  }
}

/** Gives each transaction its receipt and logs; the logs of all, or what is wrong. */
function addReceipts(
  receipts: unknown,
  transactions: readonly BlockTransaction[],
  expected: BlockRef,
  quirks: ChainQuirks,
): BlockLog[] | string {
  const logs: BlockLog[] = []
  // An empty block has a list without receipts at some nodes, and no list at others.
  const list = receipts === null && transactions.length === 0 ? NONE : receipts
  if (!Array.isArray(list)) return 'there is no list of receipts'
  if (list.length !== transactions.length) {
    return `there are ${list.length} receipts for ${transactions.length} transactions`
  }
  for (const transaction of transactions) {
    const receipt: unknown = list[transaction.index]
    const complaint =
      checkReceipt(receipt, transaction, expected) ??
      addLogs(receipt as RawObject, transaction, logs, expected, quirks)
    if (complaint !== null) return complaint
  }
  return logs
}

function addLogs(
  receipt: RawObject,
  transaction: BlockTransaction,
  logs: BlockLog[],
  expected: BlockRef,
  quirks: ChainQuirks,
): string | null {
  const own: BlockLog[] = []
  for (const raw of receipt.logs as readonly unknown[]) {
    const complaint = checkLog(raw, transaction, expected, quirks)
    if (complaint !== null) return complaint
    const log = toLog(raw as RawObject, transaction, logs.length)
    own.push(log)
    logs.push(log)
  }
  transaction.receipt = receipt
  transaction.logs = own
  return null
}

function toLog(raw: RawObject, transaction: BlockTransaction, at: number): BlockLog {
  return {
    at,
    index: quantityToNumber(raw.logIndex) ?? at,
    address: String(raw.address).toLowerCase(),
    topics: (raw.topics as string[]).map((topic) => topic.toLowerCase()),
    data: String(raw.data).toLowerCase(),
    transaction,
  }
}
