import type { Database } from '../ports/database.ts'
import { resultOf, resultsOfEvent, type StoredResult } from '../tables/delivery-claims.ts'

/** Query results by what they are results of. */
export type ResultCache = {
  /** Null when it is not stored. */
  get(network: string, sequenceNumber: number, part: number): Promise<StoredResult | null>
  /** Reads the results of an event at once, but for large ones. */
  load(network: string, sequenceNumber: number): Promise<void>
}

/** Webhooks with the same query share a result and mostly send it in the same moment. */
const CHARS_MAX = 8 * 2 ** 20
const ENTRIES_MAX = 512

/** Of those that are read together. */
const LOADED_BYTES_MAX = 64 * 2 ** 10

/**
 * Keeps the results read last. When the young ones are many they become the old ones, and
 * those before them are forgotten: cheaper than to look for the oldest each time.
 */
export function openResultCache(database: Database): ResultCache {
  let young = new Map<string, StoredResult>()
  let old = new Map<string, StoredResult>()
  let chars = 0

  const keep = (key: string, result: StoredResult) => {
    if (young.size >= ENTRIES_MAX || chars >= CHARS_MAX) {
      old = young
      young = new Map()
      chars = 0
    }
    young.set(key, result)
    chars += result.data.length
  }

  return {
    async get(network, sequenceNumber, part) {
      const key = keyOf(network, sequenceNumber, part)
      const known = young.get(key) ?? old.get(key)
      if (known) return known
      const result = await resultOf(database, network, sequenceNumber, part)
      if (result) keep(key, result)
      return result
    },
    async load(network, sequenceNumber) {
      const limits = { bytesMax: LOADED_BYTES_MAX, limit: ENTRIES_MAX }
      const results = await resultsOfEvent(database, network, sequenceNumber, limits)
      for (const [part, result] of results) keep(keyOf(network, sequenceNumber, part), result)
    },
  }
}

function keyOf(network: string, sequenceNumber: number, part: number): string {
  return `${network} ${sequenceNumber} ${part}`
}
