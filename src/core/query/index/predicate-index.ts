import type { Block, BlockLog } from '../../chain/block.ts'
import { openTwoGenerationMap } from '../../two-generation-map.ts'
import type { BlockListName } from '../items/field-rule.ts'
import {
  type Checks,
  type Item,
  itemsOf,
  type KeyCheck,
  positionOf,
  readAlternatives,
} from '../items/item-filter.ts'
import { detachString } from '../keys/detach-string.ts'
import type { VariableRegistry } from '../keys/variable-registry.ts'
import type { ListFilter } from '../language/query-plan.ts'
import type { VariableSource } from '../output/fragment-templates.ts'
import { openInternTable } from './intern-table.ts'
import {
  type Alternative,
  type Conjunction,
  type FilterEntry,
  isOnlyCheck,
  liveVariable,
  openListIndex,
} from './list-index.ts'

/** Filters that ask for no key, but maybe for a number of topics. */
type KeylessFilters = { list: BlockListName; topics: number; entries: Set<FilterEntry> }

/** Enough for the events and contracts that everybody asks for, at some hundred kilobytes. */
const KEYS_SHARED_MAX = 4096

const ANYTHING: Checks = []
const NO_ALTERNATIVES: readonly Alternative[] = []

/** Forgets what was found, which lets go of the block. */
export function forgetFound(entries: readonly FilterEntry[]): void {
  for (const entry of entries) entry.found = null
}

/** The filters of all standing queries, found by what a block holds instead of one by one. */
export function openPredicateIndex<User extends object>(variables: VariableRegistry) {
  const lists = {
    transactions: openListFilters<User>('transactions', variables),
    logs: openListFilters<User>('logs', variables),
    callTracerTraces: openListFilters<User>('callTracerTraces', variables),
  }
  const keyless = new Map<string, KeylessFilters>()
  const recentKeys = openTwoGenerationMap<string, string>({ weightMax: KEYS_SHARED_MAX })
  let entriesMade = 0

  /** The key in memory of its own, shared with the filters that recently asked for it. */
  function ownKey(text: string): string {
    const known = recentKeys.get(text)
    if (known !== undefined) return known
    const own = detachString(text)
    recentKeys.set(own, own)
    return own
  }

  return {
    acquire: (list: BlockListName, filter: ListFilter | null, source: VariableSource) => {
      const alternatives = readAlternatives(filter, source.acquire, ownKey)
      const { entries, index } = lists[list]
      const key = filterEntryKey(alternatives)
      const known = entries.find(key)
      if (known) {
        releaseChecks(alternatives, source)
        return known
      }
      const made = openFilterEntry<User>(list, ++entriesMade, alternatives)
      entries.add(key, made)
      if (isKeyless(alternatives)) addKeyless(keyless, list, made)
      else for (const one of conjunctionsOf(made)) index.add(one)
      return made
    },
    release: (
      list: BlockListName,
      entry: FilterEntry<User>,
      source: Pick<VariableSource, 'release'>,
    ): void => {
      const { entries, index } = lists[list]
      const alternatives = checksOf(list, entry)
      entries.remove(entry)
      if (isKeyless(alternatives)) removeKeyless(keyless, list, entry)
      else for (const one of conjunctionsOf(entry)) index.remove(one)
      releaseChecks(alternatives, source)
    },
    /** Adds the entries that found something in the block, each with its items in order. */
    match: (block: Block, found: FilterEntry<User>[]): void => {
      // An index holds only entries of its own users.
      const touched = found as FilterEntry[]
      for (const list of LISTS) lists[list].index.match(itemsOf(block, list), touched)
      for (const entry of touched) entry.found = inOrder(entry.found ?? [])
      matchKeyless(keyless, block, touched)
    },
    size: () => LISTS.reduce((sum, list) => sum + lists[list].entries.size(), 0),
  }
}

const LISTS = ['transactions', 'logs', 'callTracerTraces'] as const

function openListFilters<User extends object>(list: BlockListName, variables: VariableRegistry) {
  return {
    entries: openInternTable<FilterEntry<User>>((entry) => filterEntryKey(checksOf(list, entry))),
    index: openListIndex(list, variables),
  }
}

function openFilterEntry<User extends object>(
  list: BlockListName,
  number: number,
  alternatives: readonly Checks[],
): FilterEntry<User> {
  const [first = ANYTHING, ...more] = alternatives
  const { checks, access } = keptChecks(list, first)
  // All members at once: one that is added later would take an allocation of its own. With seven
  // of them the runtime would take 80 bytes for 64.
  const made: FilterEntry<User> = {
    checks,
    access,
    number,
    alternatives: NO_ALTERNATIVES,
    users: undefined,
    found: null,
  }
  if (more.length > 0) {
    made.alternatives = more.map((other) => ({ ...keptChecks(list, other), of: made }))
  }
  return made
}

/** In as little memory as they allow: of a lone key, the key and its dimension. */
function keptChecks(list: BlockListName, checks: Checks): Pick<Conjunction, 'checks' | 'access'> {
  const access = checks.findIndex((check) => check !== null)
  const key = checks[access]
  return typeof key === 'string' && isOnlyCheck(list, checks, access)
    ? { checks: key, access }
    : { checks, access: -1 }
}

/** As they were before `keptChecks`. */
function wholeChecks(list: BlockListName, { checks, access }: Conjunction): Checks {
  if (typeof checks !== 'string') return checks
  const whole = Array<KeyCheck | null>(list === 'logs' ? access + 1 : 2).fill(null)
  whole[access] = checks
  return whole
}

function conjunctionsOf(entry: FilterEntry): Conjunction[] {
  return [entry, ...entry.alternatives]
}

function checksOf(list: BlockListName, entry: FilterEntry): Checks[] {
  return conjunctionsOf(entry).map((one) => wholeChecks(list, one))
}

/** Equal for equal filters of one list; variables are a team's own. */
function filterEntryKey(alternatives: readonly Checks[]): string {
  return alternatives.map((checks) => checks.map(checkText).join()).join(';')
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

function isKeyless(alternatives: readonly Checks[]): boolean {
  if (alternatives.length === 0) return true
  return alternatives.some((checks) => checks.every((check) => check === null))
}

function addKeyless(
  keyless: Map<string, KeylessFilters>,
  list: BlockListName,
  entry: FilterEntry,
): void {
  const topics = topicsMin(list, entry)
  const key = `${list} ${topics}`
  const same = keyless.get(key) ?? { list, topics, entries: new Set() }
  same.entries.add(entry)
  keyless.set(key, same)
}

function removeKeyless(
  keyless: Map<string, KeylessFilters>,
  list: BlockListName,
  entry: FilterEntry,
): void {
  const key = `${list} ${topicsMin(list, entry)}`
  const same = keyless.get(key)
  same?.entries.delete(entry)
  if (same?.entries.size === 0) keyless.delete(key)
}

function topicsMin(list: BlockListName, { checks }: FilterEntry): number {
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
