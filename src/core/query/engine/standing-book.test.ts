import { describe, expect, test } from 'bun:test'
import { hex } from '../../../../tests/support/node-json.ts'
import { randomQuery } from '../../../../tests/support/random-query.ts'
import { seededChance } from '../../../../tests/support/seeded-chance.ts'
import { Rejection } from '../../errors.ts'
import { openVariableBook } from '../keys/variable-book.ts'
import { compileQuery } from '../language/compile.ts'
import { openStandingBook, putQuery, removeQuery, type StandingBook } from './standing-book.ts'

function sizes(all: StandingBook) {
  return {
    queries: all.members.size,
    standings: all.standings.size(),
    groups: all.groups.size,
    dueGroups: all.dueGroups.size,
    shapes: all.shapes.size(),
    watches: all.index.size(),
    variables: all.variables.size,
    wanted: all.wanted,
  }
}

const NOTHING = {
  queries: 0,
  standings: 0,
  groups: 0,
  dueGroups: 0,
  shapes: 0,
  watches: 0,
  variables: 0,
  wanted: { transactions: 0, receipts: 0, traces: 0 },
}

describe('the book of standing queries', () => {
  test('has nothing left of queries that were put, changed and removed in any order', () => {
    const chance = seededChance(5)
    const variables = openVariableBook()
    const all = openStandingBook(variables)
    const material = {
      addresses: [hex(chance, 20), hex(chance, 20)],
      topics: [hex(chance, 32), hex(chance, 32)],
      addressVariables: ['wallets', 'pools'],
      topicVariables: ['events'],
    }
    for (let step = 0; step < 1500; step++) {
      const id = `wh_${chance.between(0, 60)}`
      if (chance.fraction() < 0.3) {
        removeQuery(all, id)
        continue
      }
      const plan = compileQuery(randomQuery(chance, material))
      if (plan instanceof Rejection) continue
      const teamId = chance.pick(['team_a', 'team_b'])
      putQuery(all, { id, teamId, plan, skipEmpty: chance.fraction() < 0.5 })
    }
    expect(all.members.size).toBeGreaterThan(20)
    expect(all.variables.size).toBeGreaterThan(0)
    for (const id of [...all.members.keys()]) removeQuery(all, id)
    expect(sizes(all)).toEqual(NOTHING)
    // A variable that no query holds and nobody filled is forgotten too.
    expect(variables.hold('team_a', 'wallets').uses).toBe(1)
  })

  test('keeps what queries share once: filters apart from what is written of the items', () => {
    const all = openStandingBook(openVariableBook())
    const put = (id: string, text: string) => {
      const plan = compileQuery(text)
      if (plan instanceof Rejection) throw new Error(plan.message)
      putQuery(all, { id, teamId: 'team', plan, skipEmpty: true })
    }
    const one = `(filter: { addresses: "0x${'1'.repeat(40)}" })`
    const two = `(filter: { addresses: "0x${'2'.repeat(40)}" })`
    put('a', `{ block { logs${one} { data topics } } }`)
    put('b', `{ block { logs${two} { data topics } } }`)
    put('c', `{ block { logs${two} { data } } }`)
    put('d', `{ block { logs${two} { data } } }`)
    expect(sizes(all)).toMatchObject({ queries: 4, standings: 3, groups: 2, shapes: 2, watches: 2 })
  })
})
