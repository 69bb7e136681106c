import { isHash32, quantityToNumber } from '../hex.ts'
import { isJsonObject } from '../json/json-value.ts'
import type { Header } from './block.ts'

/** The header in a block as a node tells it; null where one of its three parts is none. */
export function headerIn(block: unknown): Header | null {
  if (!isJsonObject(block)) return null
  const { hash, parentHash } = block
  const number = quantityToNumber(block.number)
  if (number === null || !isHash32(hash) || !isHash32(parentHash)) return null
  return { number, hash: hash.toLowerCase(), parentHash: parentHash.toLowerCase() }
}
