import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { failureOf } from '../../../tests/support/basics/failure-of.ts'
import { hashOf } from '../../../tests/support/nodes/fake-node.ts'
import {
  blockAt,
  openScriptedNetwork,
  POLL_MS,
  type ScriptedNetwork,
} from '../../../tests/support/nodes/scripted-network.ts'
import type { ScriptedCall } from '../../../tests/support/nodes/scripted-outbound.ts'
import { noteThrottled, openBreaker } from '../node/upstream.ts'
import { headerByHash, headerByNumber, votesAt } from './headers.ts'

type Say = (call: ScriptedCall) => void

const BLOCK = blockAt(990)
const HEADER = { number: 990, hash: hashOf(990), parentHash: hashOf(989) }

const says =
  (value: unknown): Say =>
  (call) =>
    call.result(value)
const fails: Say = (call) => call.fail(true)
const errs: Say = (call) => call.error(-32000, 'header not found')

let world: ScriptedNetwork
/** What each node answers when it is asked for a header. */
let nodes: Record<string, Say>
let asked: string[]

beforeEach(async () => {
  world = await openScriptedNetwork([{ name: 'a' }, { name: 'b' }, { name: 'c' }])
  nodes = {}
  asked = []
  const { auto } = world.outbound
  world.outbound.auto = (call) => {
    if (auto(call)) return true
    const { hostname } = new URL(call.url)
    asked.push(`${hostname} ${call.method} ${JSON.stringify(call.params)}`)
    nodes[hostname]?.(call)
    return true
  }
})

afterEach(() => world.network.stop())

describe('a header by its hash', () => {
  const find = (preferred: string | null) =>
    headerByHash(world.network, BLOCK.hash, preferred === null ? null : world.upstream(preferred))

  test('is asked of the preferred upstream, and of nobody else when that knows it', async () => {
    nodes = { b: says({ ...BLOCK, hash: BLOCK.hash.toUpperCase().replace('0X', '0x') }) }
    expect(await find('b')).toEqual(HEADER)
    expect(asked).toEqual([`b eth_getBlockByHash ["${BLOCK.hash}",false]`])
  })

  test.each<[string, Say]>([
    ['does not know it', says(null)],
    ['fails', fails],
    ['answers with an error', errs],
    ['shows another block', says(blockAt(991))],
    ['shows half a block', says({ ...BLOCK, parentHash: null })],
    ['talks nonsense', says([BLOCK])],
  ])('is asked of the others when the preferred one %s', async (_title, say) => {
    nodes = { a: says(BLOCK), b: say, c: says(BLOCK) }
    expect(await find('b')).toEqual(HEADER)
    expect(asked.map((call) => call[0])).toEqual(['b', 'a'])
  })

  test('is asked of the others when the preferred one hangs', async () => {
    nodes = { a: says(BLOCK), b: () => {} }
    const found = find('b')
    await world.clock.advance(5000)
    expect(await found).toEqual(HEADER)
    expect(asked.map((call) => call[0])).toEqual(['b', 'a'])
  })

  test('is null when nobody who answered knows it', async () => {
    nodes = { a: fails, b: says(null), c: errs }
    expect(await find(null)).toBeNull()
    expect(asked).toHaveLength(3)
  })

  test('is a failure when nobody answered', async () => {
    nodes = { a: fails, b: errs, c: says(blockAt(991)) }
    expect(await failureOf(find('c'))).toMatchObject({ name: 'Failure' })
  })

  test('is not asked of upstreams that are not used', async () => {
    world.node('a').chainId = 5
    await world.clock.advance(70_000)
    nodes = { a: says(BLOCK), b: says(null), c: says(null) }
    expect(await find('a')).toBeNull()
    expect(asked.map((call) => call[0])).toEqual(['b', 'c'])
  })

  test('is a failure when there is nobody to ask', async () => {
    for (const name of ['a', 'b', 'c']) world.node(name).chainId = 5
    await world.clock.advance(70_000)
    expect(await failureOf(find(null))).toMatchObject({ code: 'upstream_unreachable' })
  })
})

describe('a header by its number', () => {
  const find = () => headerByNumber(world.network, 990, world.upstream('b'))

  test('is what that one upstream holds', async () => {
    nodes = { b: says(blockAt(990, 'bb')) }
    expect(await find()).toEqual({ ...HEADER, hash: hashOf(990, 'bb') })
    expect(asked).toEqual(['b eth_getBlockByNumber ["0x3de",false]'])
  })

  test('is null when it has no such block', async () => {
    nodes = { a: says(BLOCK), b: says(null) }
    expect(await find()).toBeNull()
    expect(asked).toHaveLength(1)
  })

  test.each<[string, Say]>([
    ['fails', fails],
    ['answers with an error', errs],
    ['shows another height', says(blockAt(991))],
    ['talks nonsense', says('0x3de')],
  ])('is a failure when it %s', async (_title, say) => {
    nodes = { b: say }
    expect(await failureOf(find())).toMatchObject({ name: 'Failure' })
  })
})

describe('votes at a height', () => {
  test('count who holds which block', async () => {
    nodes = { a: says(BLOCK), b: says(blockAt(990, 'bb')), c: says(BLOCK) }
    const held = new Map([
      [hashOf(990), 2],
      [hashOf(990, 'bb'), 1],
    ])
    expect(await votesAt(world.network, 990)).toEqual({ held, silent: 0 })
  })

  test('are not given by who fails, does not know, or answers something else', async () => {
    nodes = { a: fails, b: says(null), c: says(blockAt(991)) }
    expect(await votesAt(world.network, 990)).toEqual({ held: new Map(), silent: 2 })
    nodes = { a: errs, b: says({}), c: says(BLOCK) }
    const held = new Map([[hashOf(990), 1]])
    expect(await votesAt(world.network, 990)).toEqual({ held, silent: 2 })
  })

  test('are asked for at once, so that one slow node does not add to another', async () => {
    const slow: ScriptedCall[] = []
    const waits: Say = (call) => void slow.push(call)
    nodes = { a: waits, b: waits, c: waits }
    const votes = votesAt(world.network, 990)
    expect(slow).toHaveLength(3)
    for (const call of slow.reverse()) call.result(BLOCK)
    expect(await votes).toEqual({ held: new Map([[hashOf(990), 3]]), silent: 0 })
  })

  test('do not wait for an upstream that hangs', async () => {
    nodes = { a: says(BLOCK), b: () => {}, c: says(BLOCK) }
    const votes = votesAt(world.network, 990)
    await world.clock.advance(5000)
    expect(await votes).toEqual({ held: new Map([[hashOf(990), 2]]), silent: 1 })
  })

  test('do not count when this machine slept until they could be read', async () => {
    nodes = { a: says(BLOCK), b: says(BLOCK), c: says(BLOCK) }
    const votes = votesAt(world.network, 990)
    // The clock that counts durations stands still in such a sleep.
    world.clock.setWall(world.clock.nowMs() + 60_000)
    expect(await votes).toBeNull()
  })

  test('are asked of upstreams at which calls fail, and not of those on another chain', async () => {
    world.node('a').chainId = 5
    await world.clock.advance(70_000)
    openBreaker(world.upstream('b'), world.clock.monotonicMs())
    noteThrottled(world.upstream('c'), 0, world.clock.monotonicMs())
    nodes = { a: says(BLOCK), b: says(BLOCK), c: says(blockAt(990, 'bb')) }
    const held = new Map([
      [hashOf(990), 1],
      [hashOf(990, 'bb'), 1],
    ])
    expect(await votesAt(world.network, 990)).toEqual({ held, silent: 0 })
  })

  test('are awaited from an upstream whose chain is not known yet', async () => {
    world.upstream('a').chain = 'unknown'
    nodes = { a: says(BLOCK), b: says(BLOCK), c: says(BLOCK) }
    const held = new Map([[hashOf(990), 2]])
    expect(await votesAt(world.network, 990)).toEqual({ held, silent: 1 })
  })

  test('are asked of upstreams that are behind or ahead of the others', async () => {
    for (const name of ['a', 'b']) world.node(name).block = blockAt(2000)
    await world.clock.advance(POLL_MS)
    nodes = { a: says(BLOCK), b: says(BLOCK), c: says(blockAt(990, 'bb')) }
    expect((await votesAt(world.network, 990))?.held.size).toBe(2)
  })

  test('are asked of upstreams that only stand by, too', async () => {
    world.network.stop()
    const { auto } = world.outbound
    world = await openScriptedNetwork([{ name: 'a' }, { name: 'b', priority: 1 }])
    const polls = world.outbound.auto
    world.outbound.auto = (call) => polls(call) || auto(call)
    nodes = { a: says(BLOCK), b: says(blockAt(990, 'bb')) }
    expect((await votesAt(world.network, 990))?.held.size).toBe(2)
  })
})
