import type { BlockListName } from '../items/field-rule.ts'
import { type Checks, type Item, type KeyCheck, keyOf, passesChecks } from '../items/item-filter.ts'
import { type BloomFilter, openBloomFilter } from '../keys/bloom-filter.ts'
import type { LiveVariable } from '../keys/live-variable.ts'
import {
  type SmallSet,
  smallSetItems,
  smallSetSize,
  smallSetWith,
  smallSetWithout,
} from '../keys/small-set.ts'
import type { VariableRegistry } from '../keys/variable-registry.ts'
import { chooseAccessPath } from './choose-access-path.ts'

/** Checks that an item must pass together, as one alternative of a filter. */
export type Conjunction = {
  readonly entry: FilterEntry
  readonly checks: Checks
  /** The dimension by whose keys it is found (its access path); the other checks follow. */
  access: number
}

/**
 * A filter on one list of a block, entered once for all queries that share it. Most filters
 * have one alternative, so an entry is its own first conjunction: there are very many of them.
 */
export type FilterEntry<User extends object = object> = Conjunction & {
  readonly list: BlockListName
  readonly number: number
  /** The conjunctions beside its own. */
  readonly alternatives: readonly Conjunction[]
  users: SmallSet<User> | undefined
  /** The items found in the block under evaluation; null where there are none. */
  found: readonly Item[] | null
}

/** The conjunctions of one list, looked up by the keys that a block has. */
export type ListIndex = {
  add(conjunction: Conjunction): void
  remove(conjunction: Conjunction): void
  /** Adds matching items to their entries; an entry joins `touched` with its first item. */
  match(items: readonly Item[], touched: FilterEntry[]): void
}

type Dimension = {
  literal: Map<string, SmallSet<Conjunction>>
  bloom: BloomFilter
  variable: Map<LiveVariable, SmallSet<Conjunction>>
  /** Keys under which many conjunctions met many items, and how many items those were. */
  hot: Map<string, number>
}

/** The state of one look at a block. */
type Matching = {
  touched: FilterEntry[]
  /** Lists of items that entries have found in common, and none may add to. */
  shared: Set<readonly Item[]>
}

type HotKey = { dimension: number; key: string; items: number }

/** The address and four topics of a log; the other lists have two dimensions. */
const DIMENSIONS = 5

/**
 * A key that takes more checks than this in one block, some tens of microseconds, is a bad
 * access path: many conjunctions are registered under it and many items have it.
 */
const HOT_CHECKS = 2000

/** Keys remembered as hot; beyond, what was learned is forgotten and learned again. */
const HOT_KEYS_MAX = 10_000

export function openListIndex(list: BlockListName, variables: VariableRegistry): ListIndex {
  const dimensions = Array.from({ length: list === 'logs' ? DIMENSIONS : 2 }, openDimension)
  const hotKeys = dimensions.map(({ hot }) => hot)

  function add(conjunction: Conjunction): void {
    conjunction.access = chooseAccessPath(list, conjunction.checks, hotKeys)
    register(dimensions[conjunction.access]!, conjunction)
  }

  function remove(conjunction: Conjunction): void {
    unregister(dimensions[conjunction.access]!, conjunction)
  }

  function match(items: readonly Item[], touched: FilterEntry[]): void {
    const newlyHot: HotKey[] = []
    const matching: Matching = { touched, shared: new Set() }
    for (const [at, dimension] of dimensions.entries()) {
      if (dimension.literal.size + dimension.variable.size === 0) continue
      matchDimension(at, dimension, items, matching, newlyHot)
    }
    for (const hotKey of newlyHot) rechooseAccessPaths(hotKey)
  }

  function matchDimension(
    at: number,
    { literal, bloom, variable, hot }: Dimension,
    items: readonly Item[],
    matching: Matching,
    newlyHot: HotKey[],
  ): void {
    const large = variable.size > 0 ? [...variables.large()].filter((one) => variable.has(one)) : []
    for (const [key, met] of groupByKey(list, items, at)) {
      const registered = bloom.mayHave(key) ? literal.get(key) : undefined
      if (registered !== undefined) {
        const checks = smallSetSize(registered) * met.length
        if (checks > HOT_CHECKS && !hot.has(key)) {
          newlyHot.push({ dimension: at, key, items: met.length })
        }
        tryAll(list, registered, met, matching)
      }
      if (variable.size === 0) continue
      for (const live of variables.variablesWith(key, large)) {
        tryAll(list, variable.get(live), met, matching)
      }
    }
  }

  /** Moves the conjunctions under a hot key to a better access path, where they have one. */
  function rechooseAccessPaths({ dimension, key, items }: HotKey): void {
    const { hot, literal } = dimensions[dimension]!
    if (hot.size >= HOT_KEYS_MAX) hot.clear()
    hot.set(key, items)
    for (const conjunction of [...smallSetItems(literal.get(key))]) {
      remove(conjunction)
      add(conjunction)
    }
  }

  return { add, remove, match }
}

function register({ literal, bloom, variable }: Dimension, conjunction: Conjunction): void {
  for (const key of literalKeys(accessCheck(conjunction))) {
    const registered = literal.get(key)
    if (registered === undefined) bloom.add(key)
    literal.set(key, smallSetWith(registered, conjunction))
  }
  const live = liveVariable(accessCheck(conjunction))
  if (live) variable.set(live, smallSetWith(variable.get(live), conjunction))
}

function unregister({ literal, bloom, variable }: Dimension, conjunction: Conjunction): void {
  for (const key of literalKeys(accessCheck(conjunction))) {
    removeFrom(literal, key, conjunction)
    if (!literal.has(key)) bloom.delete()
  }
  const live = liveVariable(accessCheck(conjunction))
  if (live) removeFrom(variable, live, conjunction)
}

function openDimension(): Dimension {
  const literal = new Map<string, SmallSet<Conjunction>>()
  return {
    literal,
    bloom: openBloomFilter(() => literal.keys()),
    variable: new Map(),
    hot: new Map(),
  }
}

/** The items of each key, in the order of the block. */
function groupByKey(
  list: BlockListName,
  items: readonly Item[],
  dimension: number,
): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const key = keyOf(list, item, dimension)
    if (key === null) continue
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}

function tryAll(
  list: BlockListName,
  conjunctions: SmallSet<Conjunction> | undefined,
  items: readonly Item[],
  matching: Matching,
): void {
  for (const one of smallSetItems(conjunctions)) tryItems(list, one, items, matching)
}

function tryItems(
  list: BlockListName,
  conjunction: Conjunction,
  met: readonly Item[],
  matching: Matching,
): void {
  const { entry, checks, access } = conjunction
  // Most filters are one key: then all items with it match, and nothing is copied.
  if (entry.found === null && isOnlyCheck(list, checks, access)) {
    entry.found = met
    matching.shared.add(met)
    matching.touched.push(entry)
    return
  }
  for (const item of met) {
    if (passesChecks(list, item, checks, access)) addFound(entry, item, matching)
  }
}

function addFound(entry: FilterEntry, item: Item, { touched, shared }: Matching): void {
  if (entry.found === null) {
    entry.found = [item]
    touched.push(entry)
  } else if (shared.has(entry.found)) {
    entry.found = [...entry.found, item]
  } else {
    // Its own, so nobody else reads it.
    ;(entry.found as Item[]).push(item)
  }
}

/** Whether every item with a key at `access` passes; a log with it may have too few topics. */
function isOnlyCheck(list: BlockListName, checks: Checks, access: number): boolean {
  for (let dimension = 0; dimension < checks.length; dimension++) {
    if (dimension !== access && checks[dimension] !== null) return false
  }
  return list !== 'logs' || checks.length === access + 1
}

function accessCheck({ checks, access }: Conjunction): KeyCheck {
  return checks[access]!
}

function literalKeys(check: KeyCheck): Iterable<string> {
  if (typeof check === 'string') return [check]
  return check instanceof Set ? check : []
}

/** In an index every check that is neither a key nor a set of keys is a variable. */
export function liveVariable(check: KeyCheck): LiveVariable | null {
  return typeof check === 'string' || check instanceof Set ? null : (check as LiveVariable)
}

function removeFrom<K>(map: Map<K, SmallSet<Conjunction>>, key: K, conjunction: Conjunction): void {
  const rest = smallSetWithout(map.get(key), conjunction)
  if (rest === undefined) map.delete(key)
  else map.set(key, rest)
}
