import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  blockAt,
  openScriptedNetwork,
  POLL_MS,
  type ScriptedNetwork,
} from '../../../tests/support/nodes/scripted-network.ts'
import { numberToQuantity } from '../../core/hex.ts'
import { noteThrottled, openBreaker } from '../node/upstream.ts'
import { headerByNumber } from './headers.ts'
import { electorate, voters, votersHeads } from './voters.ts'

const MINUTE_MS = 60_000

let world: ScriptedNetwork

beforeEach(async () => {
  world = await openScriptedNetwork([{ name: 'a' }, { name: 'b', priority: 1 }, { name: 'c' }])
})

afterEach(() => world.network.stop())

const numbers = () => votersHeads(world.network).map((head) => head?.number ?? null)

const names = () => voters(world.network).map(({ spec }) => spec.name)

test('upstreams that only stand by have a say, and so have those at which calls fail', () => {
  const nowMs = world.clock.monotonicMs()
  expect(names()).toEqual(['a', 'b', 'c'])
  openBreaker(world.upstream('a'), nowMs)
  noteThrottled(world.upstream('c'), 60_000, nowMs)
  expect(names()).toEqual(['a', 'b', 'c'])
})

test('one whose own polls fail has none, until one is answered', async () => {
  world.node('a').silent = true
  await world.clock.advance(60_000)
  expect(names()).toEqual(['b', 'c'])
  world.node('a').silent = false
  await world.clock.advance(2 * POLL_MS)
  expect(names()).toEqual(['a', 'b', 'c'])
})

test('one that gave no header several times in a row has none for a while', async () => {
  const ask = () => headerByNumber(world.network, 990, world.upstream('a')).catch(() => {})
  const polls = world.outbound.auto
  world.outbound.auto = (call) => {
    if (call.params[0] !== numberToQuantity(990)) return polls(call)
    call.fail(false)
    return true
  }
  for (let failed = 0; failed < 4; failed++) {
    expect(names()).toContain('a')
    await ask()
  }
  expect(names()).toEqual(['b', 'c'])
  await world.clock.advance(5000)
  expect(names()).toEqual(['a', 'b', 'c'])
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

describe('the electorate for blocks without a proof', () => {
  const counted = () => electorate(world.network).map(({ spec }) => spec.name)

  test('keeps a node that fails for a moment, whose vote on the chain is lost', async () => {
    world.node('a').silent = true
    await world.clock.advance(60_000)
    expect(names()).toEqual(['b', 'c'])
    expect(counted()).toEqual(['a', 'b', 'c'])
  })

  test('loses a node that is behind the others for minutes', async () => {
    world.node('a').silent = true
    for (let minute = 1; minute <= 3; minute++) {
      for (const name of ['b', 'c']) world.node(name).block = blockAt(1000 + minute)
      await world.clock.advance(MINUTE_MS)
      if (minute === 1) expect(counted()).toEqual(['a', 'b', 'c'])
    }
    expect(counted()).toEqual(['b', 'c'])
  })

  test('has no node of another chain, and none that never reported a head and fails', async () => {
    world.upstream('b').chain = 'wrong'
    world.node('b').chainId = 2
    world.upstream('c').head = null
    expect(counted()).toEqual(['a', 'c'])
    world.node('c').silent = true
    await world.clock.advance(60_000)
    expect(counted()).toEqual(['a'])
  })
})
