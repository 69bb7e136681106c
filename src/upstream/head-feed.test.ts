import { afterEach, describe, expect, test } from 'bun:test'
import { hashOf } from '../../tests/support/fake-node.ts'
import {
  blockAt,
  openScriptedNetwork,
  POLL_MS,
  type ScriptedNetwork,
} from '../../tests/support/scripted-network.ts'
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
    const heard: HeadNews[] = []
    const hear = (news: HeadNews) => void heard.push(news)
    const stops = [world.network.heads.subscribe(hear), world.network.heads.subscribe(hear)]
    await world.clock.advance(POLL_MS)
    expect(heard).toHaveLength(2)
    stops[0]?.()
    stops[0]?.()
    await world.clock.advance(POLL_MS)
    expect(heard).toHaveLength(3)
    stops[1]?.()
    await world.clock.advance(POLL_MS)
    expect(heard).toHaveLength(3)
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
  const heard: HeadNews[] = []
  world.network.heads.subscribe((news) => void heard.push(news))
  return heard
}

function shown({ upstream, header }: HeadNews) {
  return [upstream.spec.name, header.number]
}
