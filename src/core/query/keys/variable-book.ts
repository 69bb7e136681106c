import { type KeySet, openKeySet } from './key-set.ts'
import { type KeySeed, OPEN_SEED } from './key-words.ts'
import {
  addKey,
  adoptKeys,
  clearKeys,
  holdersOf,
  type LiveVariable,
  openLiveVariable,
  removeKey,
  type VariableIndex,
} from './live-variable.ts'

export type VariableBook = {
  /** Replaces whatever the variable held. */
  set(teamId: string, name: string, keys: Iterable<string>): void
  /** An empty set to be filled by and by, and then adopted. */
  newSet(): KeySet
  /** Replaces whatever the variable held by a set of this book, at once however large it is. */
  adopt(teamId: string, name: string, keys: KeySet): void
  /** Adds, then removes; makes the variable where there is none. */
  change(teamId: string, name: string, added: Iterable<string>, removed: Iterable<string>): void
  drop(teamId: string, name: string): void
  find(teamId: string, name: string): KeySet | undefined
  /** The variable as a query holds it, whether or not it is there yet. */
  hold(teamId: string, name: string): LiveVariable
  release(variable: LiveVariable): void
  /** Variables so large that they must be asked about each key. */
  large(): Iterable<LiveVariable>
  /** The variables that have the key, of the large ones only the given. */
  holders(key: string, large: readonly LiveVariable[]): readonly LiveVariable[]
}

/** The variables of all teams, for the engines of all networks. A change acts at once. */
export function openVariableBook(seed: KeySeed = OPEN_SEED): VariableBook {
  const variables = new Map<string, LiveVariable>()
  const index: VariableIndex = { seed, byHash: new Map(), large: new Set() }

  function variableOf(teamId: string, name: string): LiveVariable {
    const known = variables.get(placeOf(teamId, name))
    if (known) return known
    const made = openLiveVariable(teamId, name)
    variables.set(placeOf(teamId, name), made)
    return made
  }

  function forgetIfUnused(variable: LiveVariable): void {
    if (variable.uses > 0 || variable.keys) return
    variables.delete(placeOf(variable.teamId, variable.name))
  }

  function change(variable: LiveVariable, added: Iterable<string>, removed: Iterable<string>) {
    variable.keys ??= openKeySet(seed)
    for (const key of added) addKey(index, variable, key)
    for (const key of removed) removeKey(index, variable, key)
  }

  return {
    set: (teamId, name, keys) => {
      const variable = variableOf(teamId, name)
      clearKeys(index, variable)
      change(variable, keys, [])
    },
    newSet: () => openKeySet(seed),
    adopt: (teamId, name, keys) => adoptKeys(index, variableOf(teamId, name), keys),
    change: (teamId, name, added, removed) => change(variableOf(teamId, name), added, removed),
    drop: (teamId, name) => {
      const variable = variables.get(placeOf(teamId, name))
      if (!variable) return
      clearKeys(index, variable)
      forgetIfUnused(variable)
    },
    find: (teamId, name) => variables.get(placeOf(teamId, name))?.keys,
    hold: (teamId, name) => {
      const variable = variableOf(teamId, name)
      variable.uses++
      return variable
    },
    release: (variable) => {
      variable.uses--
      forgetIfUnused(variable)
    },
    large: () => index.large,
    holders: (key, large) => holdersOf(index, key, large),
  }
}

/** A line break stands in no id and in no name, so that no two pairs share a place. */
function placeOf(teamId: string, name: string): string {
  return `${teamId}\n${name}`
}
