import type { BlockListName } from '../items/fields.ts'
import type { Checks, KeyCheck } from '../items/item-filter.ts'

/**
 * How many items of a block a key nobody knows anything about is likely to meet, by
 * dimension. Half of all logs share one first topic, a few tokens have a third of
 * them, while the later topics mostly name somebody's own address.
 */
const LIKELY_ITEMS: Readonly<Record<BlockListName, readonly number[]>> = {
  logs: [0.02, 50, 0.01, 0.01, 0.01],
  transactions: [0.01, 0.02],
  callTracerTraces: [0.02, 0.02],
}

/** What a variable is reckoned to hold: it changes, so its size today says little. */
const VARIABLE_KEYS = 100

/** Keys that met many items lately, by dimension, and how many. */
export type Heat = readonly ReadonlyMap<string, number>[]

/**
 * The dimension in which to look for the items of a conjunction: where fewest are
 * likely to be met. -1 when it asks for nothing in any dimension.
 */
export function chooseAccess(list: BlockListName, checks: Checks, heat: Heat): number {
  let best = -1
  let fewest = Number.POSITIVE_INFINITY
  for (const [dimension, check] of checks.entries()) {
    if (check === null) continue
    const likely = likelyItems(check, LIKELY_ITEMS[list][dimension] ?? 1, heat[dimension])
    if (likely >= fewest) continue
    best = dimension
    fewest = likely
  }
  return best
}

function likelyItems(
  check: KeyCheck,
  usual: number,
  hot: ReadonlyMap<string, number> | undefined,
): number {
  if (typeof check === 'string') return hot?.get(check) ?? usual
  if (!(check instanceof Set)) return usual * VARIABLE_KEYS
  let sum = 0
  for (const key of check) sum += hot?.get(key) ?? usual
  return sum
}
