import type { Database } from '../../ports/database.ts'
import { findResult, type StoredResult } from '../../tables/deliveries/results.ts'

/** Query results by the event they are results of, and their part of it. */
export type ResultCache = {
  /** Undefined when it has to be read. */
  atHand(event: number, part: number): StoredResult | undefined
  /** Null when it is not stored. */
  read(event: number, part: number): Promise<StoredResult | null>
  /** Keeps what was just stored, so that it need not be read. */
  keep(event: number, part: number, result: StoredResult): void
}

/** Webhooks with the same query share a result and mostly send it in the same moment. */
const CHARS_MAX = 8 * 2 ** 20
const ENTRIES_MAX = 8192

/** Results beyond this are kept apart, and few: else two of one team would drive out all others. */
const LARGE_CHARS = 2 ** 20
const LARGE_MAX = 2

/**
 * Keeps the results used last. When the young ones are many they become the old ones, and
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

  const keep = (event: number, part: number, result: StoredResult) => {
    const key = keyOf(event, part)
    if (result.data.length >= LARGE_CHARS) return keepLarge(key, result)
    if (young.size >= ENTRIES_MAX || chars >= CHARS_MAX) {
      old = young
      young = new Map()
      chars = 0
    }
    young.set(key, result)
    chars += result.data.length
  }

  const atHand = (event: number, part: number) => {
    const key = keyOf(event, part)
    return young.get(key) ?? old.get(key) ?? large.get(key)
  }

  return {
    atHand,
    async read(event, part) {
      const known = atHand(event, part)
      if (known) return known
      const result = await findResult(database, event, part)
      if (result) keep(event, part, result)
      return result
    },
    keep,
  }
}

function keyOf(event: number, part: number): string {
  return `${event} ${part}`
}
