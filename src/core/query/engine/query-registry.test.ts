import { describe, expect, test } from 'bun:test'
import { seededChance } from '../../../../tests/support/basics/seeded-chance.ts'
import { hex } from '../../../../tests/support/blocks/node-json.ts'
import { randomQuery } from '../../../../tests/support/blocks/random-query.ts'
import { Rejection } from '../../errors.ts'
import { openVariableRegistry } from '../keys/variable-registry.ts'
import { compileQuery } from '../language/compile-query.ts'
import { openQueryRegistry, putQuery, type QueryRegistry, removeQuery } from './query-registry.ts'

function sizes(registry: QueryRegistry) {
  return {
    queries: registry.queries.size(),
    classes: registry.classes.size(),
    groups: registry.groups.size,
    alwaysDueGroups: registry.alwaysDueGroups.size,
    templates: registry.templates.size(),
    filters: registry.index.size(),
    variables: registry.variableUses.size,
    wanted: registry.wanted,
  }
}

const NOTHING = {
  queries: 0,
  classes: 0,
  groups: 0,
  alwaysDueGroups: 0,
  templates: 0,
  filters: 0,
  variables: 0,
  wanted: { transactions: 0, receipts: 0, traces: 0, senders: 0 },
}

describe('the registry of standing queries', () => {
  test('has nothing left of queries that were put, changed and removed in any order', () => {
    const chance = seededChance(5)
    const variables = openVariableRegistry()
    const registry = openQueryRegistry(variables)
    const material = {
      addresses: [hex(chance, 20), hex(chance, 20)],
      topics: [hex(chance, 32), hex(chance, 32)],
      addressVariables: ['wallets', 'pools'],
      topicVariables: ['events'],
    }
    for (let step = 0; step < 1500; step++) {
      const id = `wh_${chance.between(0, 60)}`
      if (chance.fraction() < 0.3) {
        removeQuery(registry, id)
        continue
      }
      const plan = compileQuery(randomQuery(chance, material))
      if (plan instanceof Rejection) continue
      const teamId = chance.pick(['team_a', 'team_b'])
      putQuery(registry, { id, teamId, plan, skipEmpty: chance.fraction() < 0.5 })
    }
    expect(registry.queries.size()).toBeGreaterThan(20)
    expect(registry.variableUses.size).toBeGreaterThan(0)
    for (const id of [...registry.queries.keys()]) removeQuery(registry, id)
    expect(sizes(registry)).toEqual(NOTHING)
    // A variable that no query holds and nobody filled is forgotten too.
    expect(variables.acquire('team_a', 'wallets').uses).toBe(1)
  })

  test('keeps what queries share once: filters apart from what is written of the items', () => {
    const registry = openQueryRegistry(openVariableRegistry())
    const put = (id: string, text: string) => {
      const plan = compileQuery(text)
      if (plan instanceof Rejection) throw new Error(plan.message)
      putQuery(registry, { id, teamId: 'team', plan, skipEmpty: true })
    }
    const one = `(filter: { addresses: "0x${'1'.repeat(40)}" })`
    const two = `(filter: { addresses: "0x${'2'.repeat(40)}" })`
    put('a', `{ block { logs${one} { data topics } } }`)
    put('b', `{ block { logs${two} { data topics } } }`)
    put('c', `{ block { logs${two} { data } } }`)
    put('d', `{ block { logs${two} { data } } }`)
    expect(sizes(registry)).toMatchObject({
      queries: 4,
      classes: 3,
      groups: 2,
      templates: 2,
      filters: 2,
    })
  })
})
