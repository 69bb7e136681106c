import type { BlockListName } from '../items/field-rule.ts'
import { type Checks, type Item, type KeyCheck, keyOf, passesChecks } from '../items/item-filter.ts'
import { openBloomFilter } from '../keys/bloom-filter.ts'
import type { LiveVariable } from '../keys/live-variable.ts'
import { hashReadKey, type KeySeed, readKey } from '../keys/read-key.ts'
import {
  type SmallSet,
  smallSetItems,
  smallSetSize,
  smallSetWith,
  smallSetWithout,
} from '../keys/small-set.ts'
import type { VariableRegistry } from '../keys/variable-registry.ts'
import { chooseAccessPath } from './choose-access-path.ts'
import { type InternTable, openInternTable } from './intern-table.ts'

export type Conjunction = FilterEntry | Alternative

type ConjunctionChecks = {
  /**
   * The key alone where every item with it at `access` matches: most conjunctions are such, and
   * an array for each would take most of the memory of an entry again.
   */
  readonly checks: Checks | string
  /** The dimension by whose keys it is found (its access path); the other checks follow. */
  access: number
}

/**
 * A filter on one list of a block, entered once for all queries that share it. Most filters
 * have one alternative, so an entry is its own first conjunction: there are very many of them.
 */
export type FilterEntry<User extends object = object> = ConjunctionChecks & {
  readonly number: number
  /** The conjunctions beside its own. */
  alternatives: readonly Alternative[]
  users: SmallSet<User> | undefined
  /** The items found in the block under evaluation; null where there are none. */
  found: readonly Item[] | null
}

export type Alternative = ConjunctionChecks & { readonly of: FilterEntry }

/**
 * The conjunctions under a key: one by itself where the key is all that it asks for in the
 * dimension, as under most keys.
 */
type Registered = Conjunction | { readonly key: string; conjunctions: SmallSet<Conjunction> }

type Dimension = ReturnType<typeof openDimension>

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

export function openListIndex(list: BlockListName, variables: VariableRegistry) {
  const dimensions = Array.from({ length: list === 'logs' ? DIMENSIONS : 2 }, () =>
    openDimension(variables.seed),
  )
  const hotKeys = dimensions.map(({ hot }) => hot)

  function add(conjunction: Conjunction): void {
    const { checks } = conjunction
    if (typeof checks !== 'string') conjunction.access = chooseAccessPath(list, checks, hotKeys)
    register(dimensions[conjunction.access]!, conjunction)
  }

  function remove(conjunction: Conjunction): void {
    unregister(dimensions[conjunction.access]!, conjunction)
  }

  /** Adds matching items to their entries; an entry joins `touched` with its first item. */
  function match(items: readonly Item[], touched: FilterEntry[]): void {
    const newlyHot: HotKey[] = []
    const matching: Matching = { touched, shared: new Set() }
    for (const [at, dimension] of dimensions.entries()) {
      if (dimension.literal.size() + dimension.variable.size === 0) continue
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
      const registered = bloom.mayHave(key) ? conjunctionsUnder(literal, key) : undefined
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

  function rechooseAccessPaths({ dimension, key, items }: HotKey): void {
    const { hot, literal } = dimensions[dimension]!
    if (hot.size >= HOT_KEYS_MAX) hot.clear()
    hot.set(key, items)
    for (const conjunction of [...smallSetItems(conjunctionsUnder(literal, key))]) {
      remove(conjunction)
      add(conjunction)
    }
  }

  return { add, remove, match }
}

function register({ literal, bloom, variable }: Dimension, conjunction: Conjunction): void {
  for (const key of literalKeys(accessCheck(conjunction))) {
    const registered = literal.find(key)
    if (!registered) {
      bloom.add(key)
      const isAll = accessCheck(conjunction) === key
      literal.add(key, isAll ? conjunction : { key, conjunctions: conjunction })
    } else if ('key' in registered) {
      registered.conjunctions = smallSetWith(registered.conjunctions, conjunction)
    } else {
      literal.remove(registered)
      literal.add(key, { key, conjunctions: [registered, conjunction] })
    }
  }
  const live = liveVariable(accessCheck(conjunction))
  if (live) variable.set(live, smallSetWith(variable.get(live), conjunction))
}

function unregister({ literal, bloom, variable }: Dimension, conjunction: Conjunction): void {
  for (const key of literalKeys(accessCheck(conjunction))) {
    const registered = literal.find(key)
    if (!registered) continue
    if ('key' in registered) {
      const rest = smallSetWithout(registered.conjunctions, conjunction)
      if (rest !== undefined) {
        registered.conjunctions = rest
        continue
      }
    }
    literal.remove(registered)
    bloom.delete()
  }
  const live = liveVariable(accessCheck(conjunction))
  if (!live) return
  const rest = smallSetWithout(variable.get(live), conjunction)
  if (rest === undefined) variable.delete(live)
  else variable.set(live, rest)
}

function conjunctionsUnder(
  literal: InternTable<Registered>,
  key: string,
): SmallSet<Conjunction> | undefined {
  const registered = literal.find(key)
  return registered && 'key' in registered ? registered.conjunctions : registered
}

function openDimension(seed: KeySeed) {
  const literal = openInternTable<Registered>(
    (registered) => ('key' in registered ? registered.key : (accessCheck(registered) as string)),
    // Customers choose their keys freely, and blocks are looked up in it: see `hashReadKey`.
    (key) => hashReadKey(readKey(key), seed),
  )
  return {
    literal,
    bloom: openBloomFilter(() => literal.keys()),
    variable: new Map<LiveVariable, SmallSet<Conjunction>>(),
    /** Keys under which many conjunctions met many items, and how many items those were. */
    hot: new Map<string, number>(),
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
  const { checks, access } = conjunction
  const entry = 'of' in conjunction ? conjunction.of : conjunction
  const isOnly = typeof checks === 'string' || isOnlyCheck(list, checks, access)
  // Most filters are one key: then all items with it match, and nothing is copied.
  if (entry.found === null && isOnly) {
    entry.found = met
    matching.shared.add(met)
    matching.touched.push(entry)
    return
  }
  for (const item of met) {
    if (isOnly || passesChecks(list, item, checks, access)) addFound(entry, item, matching)
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
export function isOnlyCheck(list: BlockListName, checks: Checks, access: number): boolean {
  for (let dimension = 0; dimension < checks.length; dimension++) {
    if (dimension !== access && checks[dimension] !== null) return false
  }
  return list !== 'logs' || checks.length === access + 1
}

function accessCheck({ checks, access }: Conjunction): KeyCheck {
  return typeof checks === 'string' ? checks : checks[access]!
}

function literalKeys(check: KeyCheck): Iterable<string> {
  if (typeof check === 'string') return [check]
  return check instanceof Set ? check : []
}

/** In an index every check that is neither a key nor a set of keys is a variable. */
export function liveVariable(check: KeyCheck): LiveVariable | null {
  return typeof check === 'string' || check instanceof Set ? null : (check as LiveVariable)
}
