import { type Bag, bagItems, bagWith, bagWithout } from './bag.ts'
import { type KeySet, openKeySet } from './key-set.ts'
import { hashRead, type KeySeed, readKey } from './key-words.ts'

/** A team's variable as queries hold it: it may be filled, emptied or dropped at any time. */
export type LiveVariable = {
  readonly teamId: string
  readonly name: string
  /** Undefined while there is no such variable; then it has nothing. */
  keys: KeySet | undefined
  has(key: string): boolean
  /** Queries that name it. */
  uses: number
  /** Whether a key leads to it; else it is asked about each key of a block. */
  isIndexed: boolean
}

/** Ways from keys to the variables that have them. */
export type VariableIndex = {
  readonly seed: KeySeed
  /**
   * By the hash of the key, not the key: an entry only leads to a variable, which is
   * then asked, so that equal hashes cost time and never a wrong match.
   */
  readonly byHash: Map<number, Bag<LiveVariable>>
  /** Variables of so many keys that asking them is cheaper than leading every key to them. */
  readonly large: Set<LiveVariable>
}

/** A key's way to its variable takes about 40 bytes, asking a set 0.2 microseconds a key. */
const INDEXED_KEYS_MAX = 5000
/** A variable that shrinks is indexed again only here, so that none swings to and fro. */
const INDEXED_AGAIN_KEYS = INDEXED_KEYS_MAX / 2

const NONE: readonly LiveVariable[] = []

export function openLiveVariable(teamId: string, name: string): LiveVariable {
  const made: LiveVariable = {
    teamId,
    name,
    keys: undefined,
    has: (key) => made.keys?.has(key) ?? false,
    uses: 0,
    isIndexed: true,
  }
  return made
}

export function addKey(index: VariableIndex, variable: LiveVariable, key: string): void {
  variable.keys ??= openKeySet(index.seed)
  if (!variable.keys.add(key) || !variable.isIndexed) return
  if (variable.keys.size > INDEXED_KEYS_MAX) stopIndexing(index, variable)
  else lead(index, hashRead(readKey(key), index.seed), variable)
}

export function removeKey(index: VariableIndex, variable: LiveVariable, key: string): void {
  const { keys } = variable
  if (!keys?.delete(key)) return
  if (!variable.isIndexed) {
    if (keys.size <= INDEXED_AGAIN_KEYS) startIndexing(index, variable)
    return
  }
  const hash = hashRead(readKey(key), index.seed)
  // Two keys of one hash share the way.
  if (!keys.hasHash(hash)) leadNoMore(index, hash, variable)
}

/** Takes all keys out, and the variable with them. */
export function clearKeys(index: VariableIndex, variable: LiveVariable): void {
  if (variable.isIndexed) variable.keys?.eachHash((hash) => leadNoMore(index, hash, variable))
  index.large.delete(variable)
  variable.isIndexed = true
  variable.keys = undefined
}

/** Puts a whole set in place of what it held. */
export function adoptKeys(index: VariableIndex, variable: LiveVariable, keys: KeySet): void {
  clearKeys(index, variable)
  variable.keys = keys
  if (keys.size <= INDEXED_KEYS_MAX) {
    startIndexing(index, variable)
    return
  }
  variable.isIndexed = false
  index.large.add(variable)
}

/** Those of the indexed and of the given large ones that have the key. */
export function holdersOf(
  index: VariableIndex,
  key: string,
  large: readonly LiveVariable[],
): readonly LiveVariable[] {
  const words = readKey(key)
  const hash = hashRead(words, index.seed)
  const led = index.byHash.get(hash | 0)
  // Most keys of a block are nobody's: nothing is made for them.
  let found: LiveVariable[] | null = null
  if (led !== undefined) {
    for (const variable of bagItems(led)) {
      if (!variable.keys?.hasRead(words, hash)) continue
      found ??= []
      found.push(variable)
    }
  }
  for (const variable of large) {
    if (!variable.keys?.hasRead(words, hash)) continue
    found ??= []
    found.push(variable)
  }
  return found ?? NONE
}

function lead({ byHash }: VariableIndex, hash: number, variable: LiveVariable): void {
  byHash.set(hash | 0, bagWith(byHash.get(hash | 0), variable))
}

function leadNoMore({ byHash }: VariableIndex, hash: number, variable: LiveVariable): void {
  const rest = bagWithout(byHash.get(hash | 0), variable)
  if (rest === undefined) byHash.delete(hash | 0)
  else byHash.set(hash | 0, rest)
}

function startIndexing(index: VariableIndex, variable: LiveVariable): void {
  index.large.delete(variable)
  variable.isIndexed = true
  variable.keys?.eachHash((hash) => lead(index, hash, variable))
}

function stopIndexing(index: VariableIndex, variable: LiveVariable): void {
  variable.keys?.eachHash((hash) => leadNoMore(index, hash, variable))
  variable.isIndexed = false
  index.large.add(variable)
}
