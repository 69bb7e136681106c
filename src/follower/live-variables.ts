import { openTimeSlices } from '../core/async/time-slices.ts'
import type { KeySet } from '../core/query/keys/key-set.ts'
import type { VariableRegistry } from '../core/query/keys/variable-registry.ts'
import type { World } from '../ports/world.ts'
import * as changes from '../tables/webhooks/variable-changes.ts'
import * as variables from '../tables/webhooks/variables.ts'

export type UsedVariable = { teamId: string; name: string }

type Loaded = UsedVariable & { id: number; revision: number }

export type LiveVariables = ReturnType<typeof openLiveVariables>

const VARIABLES_PAGE = 1000
const ITEMS_PAGE = 10_000

/** Holds in memory the variables that some query uses, and no others. */
export function openLiveVariables(world: World, registry: VariableRegistry) {
  const { database } = world
  const loaded = new Map<string, Loaded>()

  const drop = (key: string, { teamId, name }: UsedVariable) => {
    loaded.delete(key)
    registry.drop(teamId, name)
  }

  const load = async (key: string, variable: variables.Variable) => {
    const { id, teamId, name, revision } = variable
    const set = registry.newSet()
    for await (const page of itemPages(world, id, 0)) addAll(set, page)
    // Adopted whole: no block is evaluated on a part of it.
    registry.adopt(teamId, name, set)
    loaded.set(key, { id, teamId, name, revision })
  }

  const update = async (held: Loaded, revision: number) => {
    const added: string[] = []
    const removed: string[] = []
    for await (const page of itemPages(world, held.id, held.revision)) {
      for (const { item, isGone } of page) (isGone ? removed : added).push(item)
    }
    registry.change(held.teamId, held.name, added, removed)
    held.revision = revision
  }

  return {
    async refresh(used: readonly UsedVariable[], since: number) {
      const wanted = new Map(used.map((one) => [keyOf(one), one]))
      for (const [key, held] of loaded) if (!wanted.has(key)) drop(key, held)

      for await (const changed of changes.variablesChangedSince(database, since, VARIABLES_PAGE)) {
        const key = keyOf(changed)
        const held = loaded.get(key)
        if (!held) continue
        if (held.id === changed.id && !changed.isGone) await update(held, changed.revision)
        else if (held.id === changed.id) drop(key, held)
      }
      for (const [key, one] of wanted) {
        if (loaded.has(key)) continue
        const variable = await variables.findVariable(database, one.teamId, one.name)
        if (variable) await load(key, variable)
      }
    },
  }
}

function keyOf({ teamId, name }: UsedVariable): string {
  return `${teamId}/${name}`
}

function addAll(set: KeySet, page: readonly changes.ChangedItem[]): void {
  for (const { item, isGone } of page) if (!isGone) set.add(item)
}

async function* itemPages({ clock, database }: World, id: number, since: number) {
  const slices = openTimeSlices(clock)
  for await (const page of changes.itemsChangedSince(database, id, since, ITEMS_PAGE)) {
    yield page
    await slices.rest()
  }
}
