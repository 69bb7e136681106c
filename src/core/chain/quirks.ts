import { quantityToNumber } from '../hex.ts'
import type { BlockTransaction, RawObject } from './block.ts'

export type ChainQuirks = {
  /** Logs may come with an empty bloom in the header. */
  bloomMayBeZero: boolean
  /** The log indexes of a block need not ascend. */
  logIndexesMayRepeat: boolean
  logsMayNameNoTransaction: boolean
  /**
   * Transactions that the node adds to those of the block: header and traces may know
   * nothing of them. `at_end` is one at most, from and to nobody; `unpriced` are any of
   * them that pay nothing for gas.
   */
  uncounted: 'none' | 'at_end' | 'unpriced'
}

export const NO_QUIRKS: ChainQuirks = {
  bloomMayBeZero: false,
  logIndexesMayRepeat: false,
  logsMayNameNoTransaction: false,
  uncounted: 'none',
}

/**
 * Chains that are not here are held to the rules of Ethereum. So are the OP stack, whose
 * deposits have receipts, gas and traces like any transaction; Arbitrum, whose own
 * transaction opens each block; and BNB, whose validators' transactions close it.
 */
const QUIRKS: ReadonlyMap<number, Partial<ChainQuirks>> = new Map([
  // Polygon: what comes over from Ethereum is shown as a last transaction.
  [137, { uncounted: 'at_end' }],
  [80_002, { uncounted: 'at_end' }],
  // ZKsync keeps no bloom.
  [324, { bloomMayBeZero: true, logsMayNameNoTransaction: true }],
  [300, { bloomMayBeZero: true, logsMayNameNoTransaction: true }],
  // Hyperliquid: transfers between its two halves pay no gas and are in no root.
  [999, { uncounted: 'unpriced' }],
  [998, { uncounted: 'unpriced' }],
  // Cronos numbers logs anew where transactions were left out. Missing receipts are no quirk.
  [25, { logIndexesMayRepeat: true }],
  [338, { logIndexesMayRepeat: true }],
  // Monad agrees on a block before it is run: its header may come without a bloom.
  [143, { bloomMayBeZero: true }],
  [10_143, { bloomMayBeZero: true }],
])

export function quirksOf(chainId: number | undefined): ChainQuirks {
  return { ...NO_QUIRKS, ...(chainId === undefined ? undefined : QUIRKS.get(chainId)) }
}

const NOBODY = `0x${'0'.repeat(40)}`
const STATE_SYNC_TYPE = 0x7f

/** The transactions that a block's header and traces may know nothing of. */
export function uncountedOf(
  transactions: readonly BlockTransaction[],
  quirks: ChainQuirks,
): ReadonlySet<BlockTransaction> {
  const last = transactions.length - 1
  return new Set(transactions.filter(({ raw, index }) => isUncounted(quirks, raw, index === last)))
}

export function isUncounted(quirks: ChainQuirks, transaction: RawObject, isLast: boolean): boolean {
  const { type, from, to, gasPrice } = transaction
  if (quirks.uncounted === 'unpriced') return quantityToNumber(gasPrice) === 0
  if (quirks.uncounted === 'none' || !isLast) return false
  return (from === NOBODY && to === NOBODY) || quantityToNumber(type) === STATE_SYNC_TYPE
}
