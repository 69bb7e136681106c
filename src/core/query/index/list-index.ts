import type { BlockListName } from '../items/fields.ts'
import { type Checks, type Item, type KeyCheck, keyOf, passesChecks } from '../items/item-filter.ts'
import { type Bag, bagItems, bagSize, bagWith, bagWithout } from '../keys/bag.ts'
import { type KeySketch, openKeySketch } from '../keys/key-sketch.ts'
import type { LiveVariable } from '../keys/live-variable.ts'
import type { VariableBook } from '../keys/variable-book.ts'
import { chooseAccess } from './access-choice.ts'

/** Things that must hold of an item together, for whoever watches for such items. */
export type Conjunction = {
  readonly watch: Watch
  readonly checks: Checks
  /** The dimension by whose keys it is found; the other checks are made on each find. */
  access: number
}

/**
 * All that queries want of one list of a block, each equal filter once. Most filters
 * are one conjunction, so a watch is its own first one: there are very many of them.
 */
export type Watch<User extends object = object> = Conjunction & {
  readonly list: BlockListName
  readonly number: number
  /** Alternatives to its own checks. */
  readonly others: readonly Conjunction[]
  users: Bag<User> | undefined
  /** The items found in the block that is being run; null where there are none. */
  found: readonly Item[] | null
  /** Whether `found` is its own to add to, or shared with others. */
  ownsFound: boolean
}

/** The conjunctions of one list, to be found by the keys that a block has. */
export type ListIndex = {
  add(conjunction: Conjunction): void
  remove(conjunction: Conjunction): void
  /** Adds what matches to the watches, which are noted in `touched` when they get their first. */
  match(items: readonly Item[], touched: Watch[]): void
}

type Dimension = {
  literal: Map<string, Bag<Conjunction>>
  sketch: KeySketch
  variable: Map<LiveVariable, Bag<Conjunction>>
  /** How many items a key met that many conjunctions waited for. */
  hot: Map<string, number>
}

type HotKey = { dimension: number; key: string; items: number }

/** Log address and topics; the other lists have two. */
const DIMENSIONS = 5

/**
 * So many checks for one key in one block, some tens of microseconds, show that it is
 * a bad way to find conjunctions: many wait for it and many items have it.
 */
const HOT_CHECKS = 2000

/** Keys remembered as hot; beyond, what was learned is forgotten and learned again. */
const HOT_KEYS_MAX = 10_000

export function openListIndex(list: BlockListName, book: VariableBook): ListIndex {
  const dimensions = Array.from({ length: list === 'logs' ? DIMENSIONS : 2 }, openDimension)
  const heat = dimensions.map(({ hot }) => hot)

  function add(conjunction: Conjunction): void {
    conjunction.access = chooseAccess(list, conjunction.checks, heat)
    register(conjunction)
  }

  function register(conjunction: Conjunction): void {
    const { literal, sketch, variable } = dimensions[conjunction.access]!
    for (const key of literalKeys(accessCheck(conjunction))) {
      const waiting = literal.get(key)
      if (waiting === undefined) sketch.add(key)
      literal.set(key, bagWith(waiting, conjunction))
    }
    const live = liveVariable(accessCheck(conjunction))
    if (live) variable.set(live, bagWith(variable.get(live), conjunction))
  }

  function remove(conjunction: Conjunction): void {
    const { literal, sketch, variable } = dimensions[conjunction.access]!
    for (const key of literalKeys(accessCheck(conjunction))) {
      takeOut(literal, key, conjunction)
      if (!literal.has(key)) sketch.delete()
    }
    const live = liveVariable(accessCheck(conjunction))
    if (live) takeOut(variable, live, conjunction)
  }

  function match(items: readonly Item[], touched: Watch[]): void {
    const hotKeys: HotKey[] = []
    for (const [at, dimension] of dimensions.entries()) {
      if (dimension.literal.size + dimension.variable.size === 0) continue
      matchDimension(at, dimension, items, touched, hotKeys)
    }
    for (const hotKey of hotKeys) chooseAgain(hotKey)
  }

  function matchDimension(
    at: number,
    { literal, sketch, variable, hot }: Dimension,
    items: readonly Item[],
    touched: Watch[],
    hotKeys: HotKey[],
  ): void {
    const large = variable.size > 0 ? [...book.large()].filter((one) => variable.has(one)) : []
    for (const [key, met] of groupByKey(list, items, at)) {
      const waiting = sketch.mayHave(key) ? literal.get(key) : undefined
      if (waiting !== undefined) {
        const checks = bagSize(waiting) * met.length
        if (checks > HOT_CHECKS && !hot.has(key)) {
          hotKeys.push({ dimension: at, key, items: met.length })
        }
        for (const conjunction of bagItems(waiting)) tryItems(list, conjunction, met, touched)
      }
      if (variable.size === 0) continue
      for (const live of book.holders(key, large)) {
        for (const conjunction of bagItems(variable.get(live)))
          tryItems(list, conjunction, met, touched)
      }
    }
  }

  /** Moves those who waited for a hot key, where they can be found in a better way. */
  function chooseAgain({ dimension, key, items }: HotKey): void {
    const { hot, literal } = dimensions[dimension]!
    if (hot.size >= HOT_KEYS_MAX) hot.clear()
    hot.set(key, items)
    for (const conjunction of [...bagItems(literal.get(key))]) {
      remove(conjunction)
      add(conjunction)
    }
  }

  return { add, remove, match }
}

function openDimension(): Dimension {
  const literal = new Map<string, Bag<Conjunction>>()
  return {
    literal,
    sketch: openKeySketch(() => literal.keys()),
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

function tryItems(
  list: BlockListName,
  conjunction: Conjunction,
  met: readonly Item[],
  touched: Watch[],
): void {
  const { watch, checks, access } = conjunction
  // Most filters are one key: then all who have it match, and nothing is copied.
  if (watch.found === null && isOnlyCheck(list, checks, access)) {
    watch.found = met
    watch.ownsFound = false
    touched.push(watch)
    return
  }
  for (const item of met) {
    if (passesChecks(list, item, checks, access)) addFound(watch, item, touched)
  }
}

function addFound(watch: Watch, item: Item, touched: Watch[]): void {
  if (watch.found === null) {
    watch.found = [item]
    touched.push(watch)
  } else if (watch.ownsFound) {
    // Its own, so nobody else reads it.
    ;(watch.found as Item[]).push(item)
    return
  } else {
    watch.found = [...watch.found, item]
  }
  watch.ownsFound = true
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

function takeOut<K>(map: Map<K, Bag<Conjunction>>, key: K, conjunction: Conjunction): void {
  const rest = bagWithout(map.get(key), conjunction)
  if (rest === undefined) map.delete(key)
  else map.set(key, rest)
}
