import type { Block, BlockLog } from '../../chain/block.ts'
import type { BlockListName } from '../items/field-rule.ts'
import {
  type Checks,
  type Item,
  itemsOf,
  type KeyCheck,
  positionOf,
  readAlternatives,
} from '../items/item-filter.ts'
import type { VariableRegistry } from '../keys/variable-registry.ts'
import type { ListFilter } from '../language/query-plan.ts'
import type { VariableSource } from '../output/fragment-templates.ts'
import { openInternTable } from './intern-table.ts'
import {
  type Conjunction,
  type FilterEntry,
  type ListIndex,
  liveVariable,
  openListIndex,
} from './list-index.ts'

/** The filters of all standing queries, found by what a block holds instead of one by one. */
export type PredicateIndex<User extends object> = {
  acquire(list: BlockListName, filter: ListFilter | null, source: FilterSource): FilterEntry<User>
  release(entry: FilterEntry<User>, source: Pick<VariableSource, 'release'>): void
  /** Adds the entries that found something in the block, each with its items in order. */
  match(block: Block, found: FilterEntry<User>[]): void
  size(): number
}

/** Where filters have their variables and the texts of their keys from. */
export type FilterSource = VariableSource & {
  /** The key in memory of its own, the same for equal keys of one query. */
  key(text: string): string
}

/** Filters that ask for no key, but maybe for a number of topics. */
type KeylessFilters = { list: BlockListName; topics: number; entries: Set<FilterEntry> }

type Writable<T> = { -readonly [Member in keyof T]: T[Member] }

const ANYTHING: Checks = []
const NO_ALTERNATIVES: readonly Conjunction[] = []

/** Holds the place of an entry in itself until there is one to name. */
const PLACEHOLDER: FilterEntry = {
  get entry() {
    return PLACEHOLDER
  },
  checks: ANYTHING,
  access: -1,
  list: 'logs',
  number: 0,
  alternatives: NO_ALTERNATIVES,
  users: undefined,
  found: null,
}

/** Forgets what was found, which lets go of the block. */
export function forgetFound(entries: readonly FilterEntry[]): void {
  for (const entry of entries) entry.found = null
}

export function openPredicateIndex<User extends object>(
  variables: VariableRegistry,
): PredicateIndex<User> {
  const entries = openInternTable<FilterEntry<User>>((entry) =>
    filterEntryKey(entry.list, checksOf(entry)),
  )
  const indexes: Readonly<Record<BlockListName, ListIndex>> = {
    transactions: openListIndex('transactions', variables),
    logs: openListIndex('logs', variables),
    callTracerTraces: openListIndex('callTracerTraces', variables),
  }
  const keyless = new Map<string, KeylessFilters>()
  let entriesMade = 0

  return {
    acquire: (list, filter, source) => {
      const alternatives = readAlternatives(filter, source.acquire, source.key)
      const key = filterEntryKey(list, alternatives)
      const known = entries.find(key)
      if (known) {
        releaseChecks(alternatives, source)
        return known
      }
      const made = openFilterEntry<User>(list, ++entriesMade, alternatives)
      entries.add(key, made)
      if (isKeyless(made)) addKeyless(keyless, made)
      else for (const one of conjunctionsOf(made)) indexes[list].add(one)
      return made
    },
    release: (entry, source) => {
      entries.remove(entry)
      if (isKeyless(entry)) removeKeyless(keyless, entry)
      else for (const one of conjunctionsOf(entry)) indexes[entry.list].remove(one)
      releaseChecks(checksOf(entry), source)
    },
    match: (block, found) => {
      // An index holds only entries of its own users.
      const touched = found as FilterEntry[]
      for (const list of LISTS) indexes[list].match(itemsOf(block, list), touched)
      for (const entry of touched) entry.found = inOrder(entry.found ?? [])
      matchKeyless(keyless, block, touched)
    },
    size: () => entries.size(),
  }
}

const LISTS = ['transactions', 'logs', 'callTracerTraces'] as const

function openFilterEntry<User extends object>(
  list: BlockListName,
  number: number,
  alternatives: readonly Checks[],
): FilterEntry<User> {
  const [checks = ANYTHING, ...more] = alternatives
  // All members at once: one that is added later would take an allocation of its own. With nine of
  // them the runtime would take 112 bytes for 80.
  const made: Writable<FilterEntry<User>> = {
    entry: PLACEHOLDER,
    checks,
    access: -1,
    list,
    number,
    alternatives: NO_ALTERNATIVES,
    users: undefined,
    found: null,
  }
  made.entry = made
  if (more.length > 0) {
    made.alternatives = more.map((other) => ({ entry: made, checks: other, access: -1 }))
  }
  return made
}

function conjunctionsOf(entry: FilterEntry): Conjunction[] {
  return [entry, ...entry.alternatives]
}

function checksOf(entry: FilterEntry): Checks[] {
  return conjunctionsOf(entry).map(({ checks }) => checks)
}

/** Equal for equal filters of one list; variables are a team's own. */
function filterEntryKey(list: BlockListName, alternatives: readonly Checks[]): string {
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

function isKeyless(entry: FilterEntry): boolean {
  return checksOf(entry).some((checks) => checks.every((check) => check === null))
}

function addKeyless(keyless: Map<string, KeylessFilters>, entry: FilterEntry): void {
  const { list } = entry
  const topics = topicsMin(entry)
  const key = `${list} ${topics}`
  const same = keyless.get(key) ?? { list, topics, entries: new Set() }
  same.entries.add(entry)
  keyless.set(key, same)
}

function removeKeyless(keyless: Map<string, KeylessFilters>, entry: FilterEntry): void {
  const key = `${entry.list} ${topicsMin(entry)}`
  const same = keyless.get(key)
  same?.entries.delete(entry)
  if (same?.entries.size === 0) keyless.delete(key)
}

function topicsMin({ list, checks }: FilterEntry): number {
  return list === 'logs' ? Math.max(0, checks.length - 1) : 0
}

function matchKeyless(
  keyless: ReadonlyMap<string, KeylessFilters>,
  block: Block,
  touched: FilterEntry[],
): void {
  for (const { list, topics, entries } of keyless.values()) {
    const found = itemsWithTopics(itemsOf(block, list), topics)
    if (found.length === 0) continue
    for (const entry of entries) {
      entry.found = found
      touched.push(entry)
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
    if (positionOf(found[at - 1]!) >= positionOf(found[at]!)) return sorted(found)
  }
  return found
}

function sorted(found: readonly Item[]): readonly Item[] {
  return [...new Set(found)].sort((one, other) => positionOf(one) - positionOf(other))
}
