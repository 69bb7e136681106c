import { afterEach, describe, expect, test } from 'bun:test'
import { hashOf } from '../../../tests/support/nodes/fake-node.ts'
import {
  blockAt,
  openScriptedNetwork,
  POLL_MS,
  type ScriptedNetwork,
} from '../../../tests/support/nodes/scripted-network.ts'
import { noteHeaderRead } from '../node/active-health.ts'
import { noteFailure, noteThrottled, openBreaker } from '../node/upstream.ts'
import type { HeadNews } from './head-feed.ts'

let world: ScriptedNetwork

afterEach(() => world.network.stop())

describe('the feed of heads', () => {
  test('tells what polls and sockets say, repeats included, and by whom', async () => {
    world = await openScriptedNetwork([{ name: 'polled' }, { name: 'node', ws: 'ws://node/' }])
    const news = listen()
    world.sockets.all[0]?.serve(1)
    await world.clock.advance(1)
    world.sockets.all[0]?.announce(blockAt(1001, 'BB'))
    expect(news.map(shown)).toEqual([['node', 1001]])
    expect(news[0]?.header).toEqual({
      number: 1001,
      hash: hashOf(1001, 'bb'),
      parentHash: hashOf(1000),
    })
    await world.clock.advance(2 * POLL_MS)
    expect(news.map(shown).slice(1)).toEqual([
      ['polled', 1000],
      ['node', 1000],
      ['polled', 1000],
      ['node', 1000],
    ])
  })

  test('tells nobody who has stopped listening', async () => {
    world = await openScriptedNetwork([{ name: 'node' }])
    const received: HeadNews[] = []
    const listener = (news: HeadNews) => void received.push(news)
    const stops = [world.network.heads.subscribe(listener), world.network.heads.subscribe(listener)]
    await world.clock.advance(POLL_MS)
    expect(received).toHaveLength(2)
    stops[0]?.()
    stops[0]?.()
    await world.clock.advance(POLL_MS)
    expect(received).toHaveLength(3)
    stops[1]?.()
    await world.clock.advance(POLL_MS)
    expect(received).toHaveLength(3)
  })

  test('knows where each upstream in use stands, for whoever comes late', async () => {
    world = await openScriptedNetwork([
      { name: 'a' },
      { name: 'b' },
      { name: 'spare', priority: 1 },
    ])
    world.node('b').block = blockAt(1001)
    await world.clock.advance(POLL_MS)
    expect(world.network.heads.latest().map(shown)).toEqual([
      ['a', 1000],
      ['b', 1001],
    ])
  })

  test('goes by an upstream whatever calls do there, as long as its own polls are good', async () => {
    world = await openScriptedNetwork([{ name: 'a' }, { name: 'b' }])
    const nowMs = world.clock.monotonicMs()
    openBreaker(world.upstream('a'), nowMs)
    noteThrottled(world.upstream('b'), 60_000, nowMs)
    for (let call = 0; call < 100; call++) noteFailure(world.upstream('b'), 'hangs', nowMs)
    for (const name of ['a', 'b']) world.node(name).block = blockAt(1001)
    await world.clock.advance(POLL_MS)
    expect(world.network.pool.selection.verdicts.map(({ state }) => state)).not.toContain('used')
    expect(world.network.heads.latest().map(shown)).toEqual([
      ['a', 1001],
      ['b', 1001],
    ])
  })

  test('leaves out an upstream whose own polls fail, lag or lie', async () => {
    world = await openScriptedNetwork([
      { name: 'a' },
      { name: 'b' },
      { name: 'silent' },
      { name: 'behind' },
      { name: 'ahead' },
    ])
    world.node('silent').silent = true
    for (const name of ['a', 'b']) world.node(name).block = blockAt(1100)
    world.node('ahead').block = blockAt(9000)
    await world.clock.advance(60_000)
    expect(world.network.heads.latest().map(shown)).toEqual([
      ['a', 1100],
      ['b', 1100],
    ])
  })

  test('hears others rather than one that gives no headers, and that one rather than none', async () => {
    world = await openScriptedNetwork([{ name: 'a' }, { name: 'b' }])
    const names = () => world.network.heads.latest().map(({ upstream }) => upstream.spec.name)
    const nowMs = world.clock.monotonicMs()
    noteHeaderRead(world.upstream('a').activeHealth, false, nowMs)
    expect(names()).toEqual(['b'])
    noteHeaderRead(world.upstream('b').activeHealth, false, nowMs)
    expect(names()).toEqual(['a', 'b'])
    noteHeaderRead(world.upstream('a').activeHealth, true, nowMs)
    expect(names()).toEqual(['a'])
    await world.clock.advance(5000)
    expect(names()).toEqual(['a', 'b'])
  })

  test.each([
    ['no parent', { ...blockAt(1001), parentHash: undefined }],
    ['a strange hash', { ...blockAt(1001), hash: '0x1001' }],
  ])('leaves out a head with %s, which still counts for the choice', async (_title, block) => {
    world = await openScriptedNetwork([{ name: 'node' }])
    expect(world.network.heads.latest()).toHaveLength(1)
    const news = listen()
    world.node('node').block = block
    await world.clock.advance(POLL_MS)
    expect(world.network.pool.selection.head?.number).toBe(1001)
    expect(news).toEqual([])
    expect(world.network.heads.latest()).toEqual([])
  })

  test('has nothing of an upstream on another chain', async () => {
    world = await openScriptedNetwork([{ name: 'node' }], { chainId: 5 })
    const news = listen()
    await world.clock.advance(POLL_MS)
    expect(news).toEqual([])
    expect(world.network.heads.latest()).toEqual([])
  })
})

function listen(): HeadNews[] {
  const received: HeadNews[] = []
  world.network.heads.subscribe((news) => void received.push(news))
  return received
}

function shown({ upstream, header }: HeadNews) {
  return [upstream.spec.name, header.number]
}
