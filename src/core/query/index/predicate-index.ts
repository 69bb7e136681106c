import type { Block, BlockLog } from '../../chain/block.ts'
import type { BlockListName } from '../items/fields.ts'
import {
  type Checks,
  type Item,
  itemsOf,
  type KeyCheck,
  placeOf,
  readAlternatives,
} from '../items/item-filter.ts'
import type { VariableBook } from '../keys/variable-book.ts'
import type { ListFilter } from '../language/plan.ts'
import type { VariableSource } from '../output/shapes.ts'
import { openHashBook } from './hash-book.ts'
import {
  type Conjunction,
  type ListIndex,
  liveVariable,
  openListIndex,
  type Watch,
} from './list-index.ts'

/** The filters of all standing queries, found by what a block holds instead of one by one. */
export type PredicateIndex<User extends object> = {
  take(list: BlockListName, filter: ListFilter | null, source: VariableSource): Watch<User>
  release(watch: Watch<User>, source: Pick<VariableSource, 'release'>): void
  /** Adds the watches that found something in the block, each with its items in order. */
  match(block: Block, found: Watch<User>[]): void
  size(): number
}

/** Those who ask for no key but maybe for a number of topics. */
type Open = { list: BlockListName; topics: number; watches: Set<Watch> }

type Writable<T> = { -readonly [Member in keyof T]: T[Member] }

const ANYTHING: Checks = []
/** Stands in for a watch until it can name itself. */
const UNMADE = null as unknown as Watch
const NO_OTHERS: readonly Conjunction[] = []

/** Forgets what was found, which lets go of the block. */
export function forgetFound(watches: readonly Watch[]): void {
  for (const watch of watches) watch.found = null
}

export function openPredicateIndex<User extends object>(book: VariableBook): PredicateIndex<User> {
  const watches = openHashBook<Watch<User>>((watch) => watchText(watch.list, checksOf(watch)))
  const indexes: Readonly<Record<BlockListName, ListIndex>> = {
    transactions: openListIndex('transactions', book),
    logs: openListIndex('logs', book),
    callTracerTraces: openListIndex('callTracerTraces', book),
  }
  const open = new Map<string, Open>()
  let numbered = 0

  return {
    take: (list, filter, source) => {
      const alternatives = readAlternatives(filter, source.hold)
      const text = watchText(list, alternatives)
      const known = watches.find(text)
      if (known) {
        releaseChecks(alternatives, source)
        return known
      }
      const made = openWatch<User>(list, ++numbered, alternatives)
      watches.add(text, made)
      if (isOpen(made)) enterOpen(open, made)
      else for (const one of conjunctionsOf(made)) indexes[list].add(one)
      return made
    },
    release: (watch, source) => {
      watches.remove(watch)
      if (isOpen(watch)) leaveOpen(open, watch)
      else for (const one of conjunctionsOf(watch)) indexes[watch.list].remove(one)
      releaseChecks(checksOf(watch), source)
    },
    match: (block, found) => {
      // Only watches of this index were entered into it.
      const touched = found as Watch[]
      for (const list of LISTS) indexes[list].match(itemsOf(block, list), touched)
      for (const watch of touched) watch.found = inOrder(watch.found ?? [])
      matchOpen(open, block, touched)
    },
    size: () => watches.size(),
  }
}

const LISTS = ['transactions', 'logs', 'callTracerTraces'] as const

function openWatch<User extends object>(
  list: BlockListName,
  number: number,
  alternatives: readonly Checks[],
): Watch<User> {
  const [checks = ANYTHING, ...more] = alternatives
  // All members at once: one that is added later would take an allocation of its own.
  const made: Writable<Watch<User>> = {
    watch: UNMADE,
    checks,
    access: -1,
    list,
    number,
    others: NO_OTHERS,
    users: undefined,
    found: null,
    ownsFound: false,
  }
  made.watch = made
  if (more.length > 0) {
    made.others = more.map((other) => ({ watch: made, checks: other, access: -1 }))
  }
  return made
}

function conjunctionsOf(watch: Watch): Conjunction[] {
  return [watch, ...watch.others]
}

function checksOf(watch: Watch): Checks[] {
  return conjunctionsOf(watch).map(({ checks }) => checks)
}

/** Equal for equal filters of one list; variables are a team's own. */
function watchText(list: BlockListName, alternatives: readonly Checks[]): string {
  return `${list} ${alternatives.map((checks) => checks.map(checkText).join()).join(';')}`
}

function checkText(check: KeyCheck | null): string {
  if (check === null) return '*'
  if (typeof check === 'string') return check
  const live = liveVariable(check)
  if (live) return `$${live.teamId}\n${live.name}`
  return [...(check as ReadonlySet<string>)].join('|')
}

function releaseChecks(
  alternatives: readonly Checks[],
  { release }: Pick<VariableSource, 'release'>,
): void {
  for (const check of alternatives.flat()) if (check !== null) release(check)
}

function isOpen(watch: Watch): boolean {
  return checksOf(watch).some((checks) => checks.every((check) => check === null))
}

function enterOpen(open: Map<string, Open>, watch: Watch): void {
  const { list } = watch
  const topics = topicsMin(watch)
  const place = `${list} ${topics}`
  const there = open.get(place) ?? { list, topics, watches: new Set() }
  there.watches.add(watch)
  open.set(place, there)
}

function leaveOpen(open: Map<string, Open>, watch: Watch): void {
  const place = `${watch.list} ${topicsMin(watch)}`
  const there = open.get(place)
  there?.watches.delete(watch)
  if (there?.watches.size === 0) open.delete(place)
}

function topicsMin({ list, checks }: Watch): number {
  return list === 'logs' ? Math.max(0, checks.length - 1) : 0
}

function matchOpen(open: ReadonlyMap<string, Open>, block: Block, touched: Watch[]): void {
  for (const { list, topics, watches } of open.values()) {
    const found = itemsWithTopics(itemsOf(block, list), topics)
    if (found.length === 0) continue
    for (const watch of watches) {
      watch.found = found
      touched.push(watch)
    }
  }
}

function itemsWithTopics(items: readonly Item[], topics: number): readonly Item[] {
  if (topics === 0) return items
  return items.filter((item) => (item as BlockLog).topics.length >= topics)
}

/** Alternatives and keys find items in their own order, and one item may match twice. */
function inOrder(found: readonly Item[]): readonly Item[] {
  for (let at = 1; at < found.length; at++) {
    if (placeOf(found[at - 1]!) >= placeOf(found[at]!)) return sorted(found)
  }
  return found
}

function sorted(found: readonly Item[]): readonly Item[] {
  return [...new Set(found)].sort((one, other) => placeOf(one) - placeOf(other))
}
