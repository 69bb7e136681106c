import type { Database } from '../../ports/database.ts'
import { resultOf, type StoredResult } from '../../tables/deliveries/delivery-claims.ts'

/** At once where it is known. */
type MaybeLater<T> = T | Promise<T>

/** Query results by what they are results of. */
export type ResultCache = {
  /** Null when it is not stored. */
  get(network: string, sequenceNumber: number, part: number): MaybeLater<StoredResult | null>
  /** Keeps what was just stored, so that it need not be read. */
  keep(network: string, sequenceNumber: number, part: number, result: StoredResult): void
}

/** Webhooks with the same query share a result and mostly send it in the same moment. */
const CHARS_MAX = 8 * 2 ** 20
const ENTRIES_MAX = 8192

/** Results beyond this are kept apart, and few: else two of one team would drive out all others. */
const LARGE_CHARS = 2 ** 20
const LARGE_MAX = 2

/**
 * Keeps the results read last. When the young ones are many they become the old ones, and
 * those before them are forgotten: cheaper than to look for the oldest each time.
 */
export function openResultCache(database: Database): ResultCache {
  let young = new Map<string, StoredResult>()
  let old = new Map<string, StoredResult>()
  let chars = 0
  const large = new Map<string, StoredResult>()

  const keepLarge = (key: string, result: StoredResult) => {
    const [oldest] = large.size >= LARGE_MAX ? large.keys() : []
    if (oldest !== undefined) large.delete(oldest)
    large.set(key, result)
  }

  const keep = (key: string, result: StoredResult) => {
    if (result.data.length >= LARGE_CHARS) return keepLarge(key, result)
    if (young.size >= ENTRIES_MAX || chars >= CHARS_MAX) {
      old = young
      young = new Map()
      chars = 0
    }
    young.set(key, result)
    chars += result.data.length
  }

  const read = async (network: string, sequenceNumber: number, part: number) => {
    const result = await resultOf(database, network, sequenceNumber, part)
    if (result) keep(keyOf(network, sequenceNumber, part), result)
    return result
  }

  return {
    get(network, sequenceNumber, part) {
      const key = keyOf(network, sequenceNumber, part)
      return young.get(key) ?? old.get(key) ?? large.get(key) ?? read(network, sequenceNumber, part)
    },
    keep: (network, sequenceNumber, part, result) =>
      keep(keyOf(network, sequenceNumber, part), result),
  }
}

function keyOf(network: string, sequenceNumber: number, part: number): string {
  return `${network} ${sequenceNumber} ${part}`
}
