import { isJsonObject } from '../../json/json-value.ts'
import type { ProofParts } from './prove-block.ts'

/** A proof below this is not worth the way to another thread and back. */
const QUICK_US_MAX = 2_000

/** The rough cost of each; a main-net block has 284 transactions, 697 logs and 400,000 digits. */
const TRANSACTION_US = 20
const LOG_US = 6
const DATA_CHAR_US = 0.01
const SENDER_US = 600

export function isQuickProof({ block, receipts, hasSenders }: ProofParts): boolean {
  let costUs = 0
  for (const one of listIn(isJsonObject(block) ? block.transactions : null)) {
    costUs += TRANSACTION_US + (hasSenders ? SENDER_US : 0) + charsOf(one, 'input') * DATA_CHAR_US
    if (costUs > QUICK_US_MAX) return false
  }
  for (const one of listIn(receipts)) {
    for (const log of listIn(isJsonObject(one) ? one.logs : null)) {
      costUs += LOG_US + charsOf(log, 'data') * DATA_CHAR_US
      if (costUs > QUICK_US_MAX) return false
    }
  }
  return true
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function charsOf(raw: unknown, member: string): number {
  const text = isJsonObject(raw) ? raw[member] : null
  return typeof text === 'string' ? text.length : 0
}
