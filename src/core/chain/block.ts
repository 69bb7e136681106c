export type Header = { number: number; hash: string; parentHash: string }

/** An object of a node's JSON, with the members as the node spelled them. */
export type RawObject = Readonly<Record<string, unknown>>

export type BlockWants = {
  transactions: boolean
  receipts: boolean
  traces: boolean
  /** Senders are used: where blocks are proven, each is recovered from its signature. */
  senders?: boolean
}

/**
 * A block whose parts agree. `raw` members hold what the node said; the others are
 * in our form: hex in lower case, lists flat and in the order of the block.
 */
export type Block = {
  header: Header
  raw: RawObject
  /** The parts that were read; the lists of the others are empty. */
  has: BlockWants
  /** True when it was proven that all but the traces is what the hash stands for. */
  isProven?: boolean
  transactionCount: number
  transactions: readonly BlockTransaction[]
  logs: readonly BlockLog[]
  traces: readonly BlockTrace[]
}

export type BlockTransaction = {
  index: number
  hash: string
  from: string
  /** Null when it creates a contract. */
  to: string | null
  raw: RawObject
  /** Null when receipts were not read. */
  receipt: RawObject | null
  logs: readonly BlockLog[]
}

export type BlockLog = {
  /** The log's place in the block's list of logs. */
  at: number
  /** The node's own number for it, which on some chains is another. */
  index: number
  address: string
  topics: readonly string[]
  data: string
  transaction: BlockTransaction
}

/** One call frame, flattened in pre-order. */
export type BlockTrace = {
  /** The frame's place in the block's list of traces. */
  at: number
  from: string
  /** Null where the node names none, as for a creation that failed. */
  to: string | null
  /** The callTracer's frame without its `calls`. */
  frame: RawObject
  subtraceCount: number
  /** [] for a root; else the transaction's index and the call indexes down to its parent. */
  path: readonly number[]
  transaction: BlockTransaction
}

export const HEADER_ONLY: BlockWants = { transactions: false, receipts: false, traces: false }
