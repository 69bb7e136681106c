import { isAddress, quantityToNumber } from '../../hex.ts'
import { isJsonObject } from '../../json/json-value.ts'

/** The fate of a transaction that was sent; `failed`: mined, and reverted. */
export type TransactionState = 'pending' | 'mined' | 'failed' | 'dropped'

/** The end of a transaction that a receipt tells. */
export type Outcome = { state: 'mined' | 'failed'; blockNumber: number }

/** The sender and nonce of a transaction that a node has in its pool. */
export type SenderNonce = { from: string; nonce: number }

/** The outcome that a node's receipt tells; null while there is none. */
export function readOutcome(receipt: unknown): Outcome | null {
  if (!isJsonObject(receipt)) return null
  const blockNumber = quantityToNumber(receipt.blockNumber)
  if (blockNumber === null) return null
  // Receipts from before Byzantium, and those of some chains, say nothing of failure.
  return { state: quantityToNumber(receipt.status) === 0 ? 'failed' : 'mined', blockNumber }
}

export function readSenderNonce(transaction: unknown): SenderNonce | null {
  if (!isJsonObject(transaction)) return null
  const { from } = transaction
  const nonce = quantityToNumber(transaction.nonce)
  return isAddress(from) && nonce !== null ? { from, nonce } : null
}

/** A transaction without a receipt, as far as nodes tell. */
export type Unmined = {
  /** Rounds in a row in which its sender's nonce was used up, and no node had it any more. */
  replacedRounds: number
  unseenMs: number
  /** All nodes were asked, and none has it. */
  isNowhere: boolean
}

/** A node that counts the nonce may be a block ahead of the one that was asked for the receipt. */
const REPLACED_ROUNDS_MIN = 2

/** Pools and relays keep what pays enough for longer than this, and nodes hear of it by then. */
export const UNSEEN_MS_MAX = 600_000

/** True when it can be given up: another took its place, or nobody has had it for long. */
export function isDropped({ replacedRounds, unseenMs, isNowhere }: Unmined): boolean {
  return replacedRounds >= REPLACED_ROUNDS_MIN || (isNowhere && unseenMs >= UNSEEN_MS_MAX)
}
