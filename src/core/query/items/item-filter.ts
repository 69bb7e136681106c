import type { Block, BlockLog, BlockTrace, BlockTransaction } from '../../chain/block.ts'
import { detachString } from '../keys/detach-string.ts'
import type { KeyTest, ListFilter } from '../language/query-plan.ts'
import type { BlockListName } from './field-rule.ts'

/** One key that must be met, or a set of them; a variable is a set that changes. */
export type KeyCheck = string | { has(key: string): boolean }

/**
 * One alternative of a filter: what must hold in each dimension, all together. Logs
 * have the address and up to four topics, the other lists the sender and the receiver.
 */
export type Checks = readonly (KeyCheck | null)[]

export type Item = BlockTransaction | BlockLog | BlockTrace

export function itemsOf(block: Block, list: BlockListName): readonly Item[] {
  if (list === 'logs') return block.logs
  return list === 'transactions' ? block.transactions : block.traces
}

export function positionOf(item: Item): number {
  return (item as BlockLog).at ?? (item as BlockTransaction).index
}

/** A filter as alternatives of which one must hold; none at all where anything matches. */
export function readAlternatives(
  filter: ListFilter | null,
  variable: (name: string) => KeyCheck,
  ownKey: (key: string) => string = detachString,
): Checks[] {
  if (!filter) return []
  const check = (test: KeyTest | null): KeyCheck | null => {
    if (!test) return null
    if (test.kind === 'variable') return variable(test.name)
    return test.keys.length === 1 ? ownKey(test.keys[0]!) : new Set(test.keys.map(ownKey))
  }
  if (filter.kind === 'logs') return [[check(filter.addresses), ...filter.topics.map(check)]]
  return filter.pairs.map(({ from, to }) => [check(from), check(to)])
}

function passes(check: KeyCheck, key: string): boolean {
  return typeof check === 'string' ? check === key : check.has(key)
}

export function keyOf(list: BlockListName, item: Item, dimension: number): string | null {
  if (list !== 'logs') {
    const { from, to } = item as BlockTransaction | BlockTrace
    return dimension === 0 ? from : to
  }
  const { address, topics } = item as BlockLog
  return dimension === 0 ? address : (topics[dimension - 1] ?? null)
}

/** Whether an item passes all checks but the one in dimension `known`; -1 for none. */
export function passesChecks(
  list: BlockListName,
  item: Item,
  checks: Checks,
  known: number,
): boolean {
  // go-ethereum refuses a filter longer than the log, even if the extra positions
  // say "anything". Receivers rely on it, so we do the same.
  if (list === 'logs' && (item as BlockLog).topics.length < checks.length - 1) return false
  for (let dimension = 0; dimension < checks.length; dimension++) {
    const check = checks[dimension]!
    if (check === null || dimension === known) continue
    const key = keyOf(list, item, dimension)
    if (key === null || !passes(check, key)) return false
  }
  return true
}

export type ItemFilter = {
  readonly alternatives: readonly Checks[]
  /** Alternatives that are found by one of their keys, by dimension. */
  readonly buckets: readonly ReadonlyMap<string, readonly Checks[]>[]
  /** Alternatives to try on every item. */
  readonly rest: readonly Checks[]
}

/** Up to this many, trying each alternative is as fast as looking for the right ones. */
const TRIED_MAX = 8

/** Prepares a filter. A query has room for a thousand alternatives; an item should meet few. */
export function openItemFilter(alternatives: readonly Checks[]): ItemFilter {
  if (alternatives.length <= TRIED_MAX) return { alternatives, buckets: [], rest: alternatives }
  const buckets: Map<string, Checks[]>[] = []
  const rest: Checks[] = []
  for (const checks of alternatives) {
    const dimension = emptiestDimension(checks, buckets)
    if (dimension < 0) rest.push(checks)
    else
      for (const key of keysOf(checks[dimension]!)) bucketOf(buckets, dimension, key).push(checks)
  }
  return { alternatives, buckets: Array.from(buckets, (bucket) => bucket ?? new Map()), rest }
}

export function scanItems(block: Block, list: BlockListName, filter: ItemFilter): readonly Item[] {
  const items = itemsOf(block, list)
  if (filter.alternatives.length === 0) return items
  return items.filter((item) => passesFilter(list, item, filter))
}

function passesFilter(list: BlockListName, item: Item, { buckets, rest }: ItemFilter): boolean {
  for (const checks of rest) if (passesChecks(list, item, checks, -1)) return true
  for (let dimension = 0; dimension < buckets.length; dimension++) {
    const key = keyOf(list, item, dimension)
    const likely = key === null ? undefined : buckets[dimension]?.get(key)
    if (likely?.some((checks) => passesChecks(list, item, checks, dimension))) return true
  }
  return false
}

/** The dimension whose buckets for an alternative's keys are least full; -1 without keys. */
function emptiestDimension(checks: Checks, buckets: readonly Map<string, Checks[]>[]): number {
  let best = -1
  let least = Number.POSITIVE_INFINITY
  for (const [dimension, check] of checks.entries()) {
    if (check === null || !isKeys(check)) continue
    let fullest = 0
    for (const key of keysOf(check)) {
      fullest = Math.max(fullest, buckets[dimension]?.get(key)?.length ?? 0)
    }
    if (fullest >= least) continue
    best = dimension
    least = fullest
  }
  return best
}

function isKeys(check: KeyCheck): check is string | (Set<string> & KeyCheck) {
  return typeof check === 'string' || check instanceof Set
}

function keysOf(check: KeyCheck): Iterable<string> {
  if (typeof check === 'string') return [check]
  return check instanceof Set ? check : []
}

function bucketOf(buckets: Map<string, Checks[]>[], dimension: number, key: string): Checks[] {
  buckets[dimension] ??= new Map()
  const bucket = buckets[dimension].get(key) ?? []
  buckets[dimension].set(key, bucket)
  return bucket
}
