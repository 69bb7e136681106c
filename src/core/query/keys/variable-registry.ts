import { type KeySet, openKeySet } from './key-set.ts'
import {
  addKey,
  adoptKeys,
  clearKeys,
  type LiveVariable,
  openLiveVariable,
  removeKey,
  type VariableIndex,
  variablesWith,
} from './live-variable.ts'
import { type KeySeed, PUBLIC_SEED } from './read-key.ts'

export type VariableRegistry = ReturnType<typeof openVariableRegistry>

/** The variables of all teams, for the engines of all networks. A change acts at once. */
export function openVariableRegistry(seed: KeySeed = PUBLIC_SEED) {
  const variables = new Map<string, LiveVariable>()
  const index: VariableIndex = { seed, byHash: new Map(), large: new Set() }

  function variableOf(teamId: string, name: string): LiveVariable {
    const known = variables.get(registryKey(teamId, name))
    if (known) return known
    const made = openLiveVariable(teamId, name)
    variables.set(registryKey(teamId, name), made)
    return made
  }

  function forgetIfUnused(variable: LiveVariable): void {
    if (variable.uses > 0 || variable.keys) return
    variables.delete(registryKey(variable.teamId, variable.name))
  }

  function change(variable: LiveVariable, added: Iterable<string>, removed: Iterable<string>) {
    variable.keys ??= openKeySet(seed)
    for (const key of added) addKey(index, variable, key)
    for (const key of removed) removeKey(index, variable, key)
  }

  return {
    /** The seed of its sets, for all that is looked up by the same keys. */
    seed,
    set: (teamId: string, name: string, keys: Iterable<string>) => {
      const variable = variableOf(teamId, name)
      clearKeys(index, variable)
      change(variable, keys, [])
    },
    /** An empty set to be filled step by step, and then adopted. */
    newSet: () => openKeySet(seed),
    /** Replaces the keys by a set from `newSet`, at once however large it is. */
    adopt: (teamId: string, name: string, keys: KeySet) =>
      adoptKeys(index, variableOf(teamId, name), keys),
    /** Adds, then removes; creates the variable where there is none. */
    change: (teamId: string, name: string, added: Iterable<string>, removed: Iterable<string>) =>
      change(variableOf(teamId, name), added, removed),
    drop: (teamId: string, name: string) => {
      const variable = variables.get(registryKey(teamId, name))
      if (!variable) return
      clearKeys(index, variable)
      forgetIfUnused(variable)
    },
    find: (teamId: string, name: string) => variables.get(registryKey(teamId, name))?.keys,
    /** A reference to the variable for a query, whether or not it exists yet. */
    acquire: (teamId: string, name: string) => {
      const variable = variableOf(teamId, name)
      variable.uses++
      return variable
    },
    release: (variable: LiveVariable) => {
      variable.uses--
      forgetIfUnused(variable)
    },
    large: (): Iterable<LiveVariable> => index.large,
    /** The variables that have the key, of the large ones only the given. */
    variablesWith: (key: string, large: readonly LiveVariable[]) =>
      variablesWith(index, key, large),
  }
}

/** No id and no name contains a line break, so no two pairs share a key. */
function registryKey(teamId: string, name: string): string {
  return `${teamId}\n${name}`
}
