import { headerIn } from '../../core/chain/header.ts'
import { quantityToNumber } from '../../core/hex.ts'
import { isJsonObject } from '../../core/json/json-value.ts'

export type NodeHead = {
  number: number
  hash: string
  /** Null where the chain has none, or the node does not say: then it cannot be followed. */
  parentHash: string | null
  /** The block's age by its own timestamp; null where the chain has none. */
  blockAgeMs: number | null
}

/** The head that a block of an EVM node stands for; null where it is none. */
export function headInBlock(block: unknown, wallMs: number): NodeHead | null {
  if (!isJsonObject(block)) return null
  const { hash } = block
  const number = quantityToNumber(block.number)
  if (number === null || typeof hash !== 'string') return null
  const timestampS = quantityToNumber(block.timestamp)
  return {
    number,
    hash: hash.toLowerCase(),
    parentHash: headerIn(block)?.parentHash ?? null,
    blockAgeMs: timestampS === null ? null : wallMs - timestampS * 1000,
  }
}

/** The head that an answer to `getSlot` stands for. */
export function headAtSlot(slot: unknown): NodeHead | null {
  if (typeof slot !== 'number' || !Number.isSafeInteger(slot) || slot < 0) return null
  return { number: slot, hash: String(slot), parentHash: null, blockAgeMs: null }
}
