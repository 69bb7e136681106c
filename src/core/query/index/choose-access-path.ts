import type { BlockListName } from '../items/field-rule.ts'
import type { Checks, KeyCheck } from '../items/item-filter.ts'

/**
 * How many items of a block an unknown key is likely to meet, by dimension. Half of all logs
 * share one first topic and a few tokens have a third of them, while the later topics mostly
 * name somebody's own address.
 */
const LIKELY_ITEMS: Readonly<Record<BlockListName, readonly number[]>> = {
  logs: [0.02, 50, 0.01, 0.01, 0.01],
  transactions: [0.01, 0.02],
  callTracerTraces: [0.02, 0.02],
}

/** The keys that a variable is assumed to hold: it changes, so its size today says little. */
const VARIABLE_KEYS = 100

/** Keys that met many items lately, by dimension, and how many. */
export type HotKeys = readonly ReadonlyMap<string, number>[]

/**
 * The access path of a conjunction: the dimension in which its keys are likely to meet fewest
 * items. -1 when it has no check in any dimension.
 */
export function chooseAccessPath(list: BlockListName, checks: Checks, hotKeys: HotKeys): number {
  let best = -1
  let fewest = Number.POSITIVE_INFINITY
  for (const [dimension, check] of checks.entries()) {
    if (check === null) continue
    const likely = likelyItems(check, LIKELY_ITEMS[list][dimension] ?? 1, hotKeys[dimension])
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
