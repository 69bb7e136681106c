import type { Database } from '../../ports/database.ts'
import { findResult, type StoredResult } from '../../tables/deliveries/results.ts'

export type ResultCache = {
  /** Undefined when it has to be read. */
  atHand(event: number, part: number): StoredResult | undefined
  /** Null when it is not stored. */
  read(event: number, part: number): Promise<StoredResult | null>
  keep(event: number, part: number, result: StoredResult): void
}

/** Webhooks with the same query share a result and mostly send it in the same moment. */
const CHARS_MAX = 8 * 2 ** 20
const ENTRIES_MAX = 8192

/** Results beyond this are kept apart, and few: else two of one team would drive out all others. */
const LARGE_CHARS = 2 ** 20
const LARGE_MAX = 2

type Results = Map<number, StoredResult[]>

/**
 * Keeps the results used last. When the young ones are many they become the old ones, and
 * those before them are forgotten: cheaper than to look for the oldest each time.
 */
export function openResultCache(database: Database): ResultCache {
  let young: Results = new Map()
  let old: Results = new Map()
  let chars = 0
  let entries = 0
  const large = new Map<string, StoredResult>()

  const keepLarge = (key: string, result: StoredResult) => {
    const [oldest] = large.size >= LARGE_MAX ? large.keys() : []
    if (oldest !== undefined) large.delete(oldest)
    large.set(key, result)
  }

  const keep = (event: number, part: number, result: StoredResult) => {
    if (result.data.length >= LARGE_CHARS) return keepLarge(largeKey(event, part), result)
    if (entries >= ENTRIES_MAX || chars >= CHARS_MAX) {
      old = young
      young = new Map()
      chars = 0
      entries = 0
    }
    const parts = young.get(event) ?? []
    if (parts.length === 0) young.set(event, parts)
    parts[part] = result
    chars += result.data.length
    entries += 1
  }

  const atHand = (event: number, part: number) => {
    const known = young.get(event)?.[part] ?? old.get(event)?.[part]
    return known ?? (large.size > 0 ? large.get(largeKey(event, part)) : undefined)
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

function largeKey(event: number, part: number): string {
  return `${event} ${part}`
}
