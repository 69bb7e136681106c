import { type KeySet, openKeySet } from './key-set.ts'
import { hashReadKey, type KeySeed, readKey } from './read-key.ts'
import { type SmallSet, smallSetItems, smallSetWith, smallSetWithout } from './small-set.ts'

/** A team's variable as queries refer to it: it may be filled, emptied or dropped at any time. */
export type LiveVariable = {
  readonly teamId: string
  readonly name: string
  /** Undefined while the variable does not exist; then it has no keys. */
  keys: KeySet | undefined
  has(key: string): boolean
  uses: number
  /** Whether its keys are in the index; else it is asked about each key of a block. */
  isIndexed: boolean
}

export type VariableIndex = {
  readonly seed: KeySeed
  /**
   * Keyed by the hash, not the key: an entry only names a variable, which is then asked, so
   * that equal hashes cost time and never a wrong match.
   */
  readonly byHash: Map<number, SmallSet<LiveVariable>>
  /** Variables with so many keys that asking them is cheaper than indexing every key. */
  readonly large: Set<LiveVariable>
}

/** An index entry takes about 40 bytes, asking a set 0.2 microseconds a key. */
const INDEXED_KEYS_MAX = 5000
/** A variable that shrinks is indexed again only from here on, so that none swings to and fro. */
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
  else addToIndex(index, hashReadKey(readKey(key), index.seed), variable)
}

export function removeKey(index: VariableIndex, variable: LiveVariable, key: string): void {
  const { keys } = variable
  if (!keys?.delete(key)) return
  if (!variable.isIndexed) {
    if (keys.size <= INDEXED_AGAIN_KEYS) startIndexing(index, variable)
    return
  }
  const hash = hashReadKey(readKey(key), index.seed)
  // Two keys of one hash share the index entry.
  if (!keys.hasHash(hash)) removeFromIndex(index, hash, variable)
}

/** Takes all keys out, and the variable with them. */
export function clearKeys(index: VariableIndex, variable: LiveVariable): void {
  if (variable.isIndexed) variable.keys?.eachHash((hash) => removeFromIndex(index, hash, variable))
  index.large.delete(variable)
  variable.isIndexed = true
  variable.keys = undefined
}

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

/** The variables that have the key, of the large ones only the given. */
export function variablesWith(
  index: VariableIndex,
  key: string,
  large: readonly LiveVariable[],
): readonly LiveVariable[] {
  const words = readKey(key)
  const hash = hashReadKey(words, index.seed)
  const indexed = index.byHash.get(hash | 0)
  // Most keys of a block are in no variable, and then nothing is allocated.
  let found: LiveVariable[] | null = null
  if (indexed !== undefined) {
    for (const variable of smallSetItems(indexed)) {
      if (!variable.keys?.hasReadKey(words, hash)) continue
      found ??= []
      found.push(variable)
    }
  }
  for (const variable of large) {
    if (!variable.keys?.hasReadKey(words, hash)) continue
    found ??= []
    found.push(variable)
  }
  return found ?? NONE
}

function addToIndex({ byHash }: VariableIndex, hash: number, variable: LiveVariable): void {
  byHash.set(hash | 0, smallSetWith(byHash.get(hash | 0), variable))
}

function removeFromIndex({ byHash }: VariableIndex, hash: number, variable: LiveVariable): void {
  const rest = smallSetWithout(byHash.get(hash | 0), variable)
  if (rest === undefined) byHash.delete(hash | 0)
  else byHash.set(hash | 0, rest)
}

function startIndexing(index: VariableIndex, variable: LiveVariable): void {
  index.large.delete(variable)
  variable.isIndexed = true
  variable.keys?.eachHash((hash) => addToIndex(index, hash, variable))
}

function stopIndexing(index: VariableIndex, variable: LiveVariable): void {
  variable.keys?.eachHash((hash) => removeFromIndex(index, hash, variable))
  variable.isIndexed = false
  index.large.add(variable)
}
