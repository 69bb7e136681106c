import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  blockAt,
  openScriptedNetwork,
  POLL_MS,
  type ScriptedNetwork,
} from '../../tests/support/scripted-network.ts'
import { rest } from './upstream.ts'
import { voters, votersHeads } from './voters.ts'

const MINUTE_MS = 60_000

let world: ScriptedNetwork

beforeEach(async () => {
  world = await openScriptedNetwork([{ name: 'a' }, { name: 'b', priority: 1 }, { name: 'c' }])
})

afterEach(() => world.network.stop())

const numbers = () => votersHeads(world.network).map((head) => head?.number ?? null)

test('upstreams that only stand by have a say, those that rest have none', () => {
  expect(voters(world.network).map(({ spec }) => spec.name)).toEqual(['a', 'b', 'c'])
  rest(world.upstream('a'), world.clock.monotonicMs())
  expect(voters(world.network).map(({ spec }) => spec.name)).toEqual(['b', 'c'])
})

test('one that has not told its head yet counts, without a place', () => {
  world.upstream('c').head = null
  expect(numbers()).toEqual([1000, 1000, null])
})

test('one that stays behind for minutes has no say in where the chain is', async () => {
  for (let minute = 0; minute < 3; minute++) {
    for (const name of ['a', 'b']) world.node(name).block = blockAt(1001 + minute)
    await world.clock.advance(POLL_MS)
    if (minute === 0) expect(numbers()).toEqual([1001, 1001, 1000])
    await world.clock.advance(MINUTE_MS)
  }
  expect(numbers()).toEqual([1003, 1003])
})

test('a chain that stands still as a whole is no reason to doubt anyone', async () => {
  await world.clock.advance(10 * MINUTE_MS)
  expect(numbers()).toEqual([1000, 1000, 1000])
})
