import { type DocumentNode, parse } from 'graphql'
import { Rejection } from '../../../src/core/errors.ts'
import type { Engine, StandingQuery } from '../../../src/core/query/engine/engine.ts'
import type { VariableRegistry } from '../../../src/core/query/keys/variable-registry.ts'
import { compileQuery } from '../../../src/core/query/language/compile-query.ts'
import type { Chance } from '../basics/seeded-chance.ts'
import type { MadeBlock } from './block-maker.ts'
import { hex, type NodeJson } from './node-json.ts'
import { type QueryMaterial, randomQuery } from './random-query.ts'

export type StandingCase = StandingQuery & { text: string; document: DocumentNode }

const TEAMS = ['team_a', 'team_b']

/** Keys of the block, for hits, and some that nobody has. */
export function materialOf(chance: Chance, { block, receipts, traces }: MadeBlock): QueryMaterial {
  const logs: NodeJson[] = receipts.flatMap((receipt) => receipt.logs)
  const some = (keys: readonly (string | null)[]) => {
    const there = keys.flatMap((key) => key?.toLowerCase() ?? [])
    return Array.from({ length: Math.min(4, there.length) }, () => chance.pick(there))
  }
  const ends = [...block.transactions, ...traces.map(({ result }) => result)]
  const addresses = some([
    ...logs.map(({ address }) => address),
    ...ends.flatMap(({ from, to }) => [from, to ?? null]),
  ])
  return {
    addresses: [...addresses, hex(chance, 20)],
    topics: [...some(logs.flatMap(({ topics }) => topics)), hex(chance, 32)],
    addressVariables: ['wallets', 'pools', 'nobody', 'missing'],
    topicVariables: ['events', 'none'],
  }
}

/** Gives each team variables of its own; some large, some empty, one that is missing. */
export function fillVariables(chance: Chance, registry: VariableRegistry, material: QueryMaterial) {
  const { addresses, topics } = material
  const filled: Record<string, Record<string, string[]>> = {}
  for (const team of TEAMS) {
    const pick = (keys: readonly string[]) => keys.filter(() => chance.fraction() < 0.5)
    const variables = {
      wallets: pick(addresses),
      pools: [...pick(addresses), ...(chance.fraction() < 0.1 ? manyAddresses : [])],
      nobody: [],
      events: pick(topics),
    }
    filled[team] = variables
    for (const [name, keys] of Object.entries(variables))
      changeTo(chance, registry, team, name, keys)
  }
  return filled
}

const manyAddresses = Array.from({ length: 6000 }, (_, at) => `0x${'f'.repeat(36)}${4096 + at}`)

/** By setting it anew, or by what is different. */
function changeTo(
  chance: Chance,
  registry: VariableRegistry,
  team: string,
  name: string,
  keys: readonly string[],
): void {
  const held = heldKeys.get(team + name) ?? []
  heldKeys.set(team + name, keys)
  const there = registry.find(team, name)
  if (!there || chance.fraction() < 0.3) {
    registry.set(team, name, keys)
    return
  }
  const left = new Set(keys)
  registry.change(
    team,
    name,
    keys,
    held.filter((key) => !left.has(key)),
  )
}

const heldKeys = new Map<string, readonly string[]>()

export function putQueries(
  chance: Chance,
  engine: Engine,
  material: QueryMaterial,
  queries: number,
): StandingCase[] {
  const cases: StandingCase[] = []
  for (let at = 0; at < queries; at++) {
    const text = randomQuery(chance, material)
    const plan = compileQuery(text)
    if (plan instanceof Rejection) continue
    const teamId = chance.pick(TEAMS)
    const query = { id: `wh_${at}`, teamId, plan, skipEmpty: chance.fraction() < 0.5 }
    engine.put(query)
    cases.push({ ...query, text, document: parse(text) })
  }
  return cases
}
