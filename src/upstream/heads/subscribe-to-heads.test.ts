import { afterEach, describe, expect, test } from 'bun:test'
import { hashOf } from '../../../tests/support/nodes/fake-node.ts'
import {
  blockAt,
  openScriptedNetwork,
  POLL_MS,
  type ScriptedNetwork,
} from '../../../tests/support/nodes/scripted-network.ts'
import { announcement, type ScriptedSocket } from '../../../tests/support/nodes/scripted-sockets.ts'

const SECOND = 1000
const WS = 'ws://user:hunter%202@node/secret-path'

let world: ScriptedNetwork

afterEach(() => world.network.stop())

describe('a head announced by a socket', () => {
  test('counts at once, long before the next poll', async () => {
    const socket = await subscribed()
    socket.announce(blockAt(1001))
    expect(world.upstream('node').head).toMatchObject({
      number: 1001,
      hash: hashOf(1001),
      parentHash: hashOf(1000),
    })
    expect(world.network.pool.selection.head).toMatchObject({ number: 1001, hash: hashOf(1001) })
  })

  test('counts when it overtakes the answer that names its subscription', async () => {
    const socket = await dialled()
    socket.accept()
    socket.say(announcement(blockAt(1001), '0x7'))
    expect(headNumber()).toBe(1000)
    socket.say({ jsonrpc: '2.0', id: 2, result: '0x7' })
    socket.say({ jsonrpc: '2.0', id: 1, result: '0x1' })
    expect(headNumber()).toBe(1001)
  })

  test('is not taken back by a poll that was under way', async () => {
    const socket = await subscribed()
    world.node('node').silent = true
    await world.clock.advance(POLL_MS)
    socket.announce(blockAt(1002))
    const [poll] = world.outbound.open('eth_getBlockByNumber')
    await world.clock.advance(1)
    poll?.result(blockAt(1001))
    await world.clock.advance(1)
    expect(headNumber()).toBe(1002)

    world.node('node').silent = false
    world.node('node').block = blockAt(1001)
    await world.clock.advance(POLL_MS)
    expect(headNumber()).toBe(1001)
  })

  test('does not count before polls have found the chain to be the right one', async () => {
    world = await openScriptedNetwork([{ name: 'node', ws: WS }], { chainId: 5 })
    const socket = world.sockets.all[0] as ScriptedSocket
    socket.serve(5)
    await world.clock.advance(1)
    expect(world.upstream('node').chain).toBe('wrong')
    socket.announce(blockAt(1001))
    expect(world.upstream('node').head).toBeNull()
    expect(world.network.heads.latest()).toEqual([])
  })

  test('does not count when the socket leads to another chain', async () => {
    const socket = await dialled()
    socket.serve(2)
    await world.clock.advance(1)
    expect(socket.state).toBe('closed')
    expect(world.socketLog()).toEqual([['lost', 'wrong_chain']])
  })
})

describe('a silent socket', () => {
  test('is replaced when polls see the chain move on', async () => {
    const socket = await subscribed()
    for (let block = 1001; block <= 1006; block++) {
      world.node('node').block = blockAt(block)
      await world.clock.advance(12 * SECOND)
    }
    expect(socket.state).toBe('closed')
    expect(world.socketLog()).toEqual([
      ['open', null],
      ['lost', 'silent'],
    ])
    expect(world.sockets.live()).toHaveLength(1)
  })

  test('is left alone while the chain has no new blocks, and when it then speaks', async () => {
    const socket = await subscribed()
    await world.clock.advance(600 * SECOND)
    world.node('node').block = blockAt(1001)
    await world.clock.advance(POLL_MS)
    socket.announce(blockAt(1001))
    await world.clock.advance(600 * SECOND)
    world.node('node').block = blockAt(1002)
    await world.clock.advance(10 * SECOND)
    expect(socket.state).toBe('open')
  })

  test('is left alone when it was there before the first poll was answered', async () => {
    world = await openScriptedNetwork([{ name: 'node', ws: WS }], {}, ['node'])
    const socket = world.sockets.all[0] as ScriptedSocket
    socket.serve(1)
    await world.clock.advance(1)
    expect(world.socketLog()).toEqual([['open', null]])
    world.node('node').silent = false
    await world.clock.advance(600 * SECOND)
    expect(headNumber()).toBe(1000)
    expect(socket.state).toBe('open')
  })

  test('is given four block times on a slow chain', async () => {
    world = await openScriptedNetwork([{ name: 'node', ws: WS }], { blockTimeMs: 60 * SECOND })
    const socket = world.sockets.all[0] as ScriptedSocket
    socket.serve(1)
    await world.clock.advance(1)
    world.node('node').block = blockAt(1001)
    await world.clock.advance(239 * SECOND)
    expect(socket.state).toBe('open')
    await world.clock.advance(10 * SECOND)
    expect(socket.state).toBe('closed')
  })

  test('is not mistaken for a talkative one because of noise', async () => {
    const socket = await subscribed()
    world.node('node').block = blockAt(1001)
    for (let round = 0; round < 60; round++) {
      await world.clock.advance(SECOND)
      socket.say('{"jsonrpc":"2.0","method":"ping"}')
      socket.say('{"jsonrpc":"2.0","id":77,"result":"pong"}')
    }
    expect(socket.state).toBe('closed')
  })
})

describe('hostile messages', () => {
  const GOOD = blockAt(9999)

  test.each<[string, unknown]>([
    ['no JSON', 'hello'],
    ['half of it', '{"jsonrpc":"2.0","method":"eth_subscr'],
    ['a number', 7],
    ['a list of announcements', [announcement(GOOD)]],
    ['another subscription', announcement(GOOD, '0xdead')],
    ['no subscription', { method: 'eth_subscription', params: { result: GOOD } }],
    ['no block', announcement(null)],
    ['a block that is a text', announcement('0x1')],
    ['a block without a parent', announcement({ ...GOOD, parentHash: undefined })],
    ['a block with a short hash', announcement({ ...GOOD, hash: '0x12' })],
    ['a height beyond all numbers', announcement({ ...GOOD, number: `0x${'f'.repeat(40)}` })],
    ['a height below zero', announcement({ ...GOOD, number: '-0x1' })],
    ['a second answer to the subscription', { id: 2, result: '0xdead' }],
    ['a late refusal', { id: 2, error: { code: 1, message: 'no' } }],
    ['another chain, later', { id: 1, result: '0x5' }],
    ['an answer to nothing', { id: 77, result: 'x' }],
    ['a very deep one', `${'['.repeat(200_000)}`],
  ])('change nothing: %s', async (_title, message) => {
    const socket = await subscribed()
    socket.say(message)
    socket.say(announcement(GOOD, '0xdead'))
    expect(headNumber()).toBe(1000)
    socket.announce(blockAt(1001))
    expect(headNumber()).toBe(1001)
    expect(socket.state).toBe('open')
  })

  test('before the subscription change nothing either', async () => {
    const socket = await dialled()
    socket.accept()
    for (let number = 2000; number < 4000; number++) {
      socket.say(announcement(blockAt(number), '0xdead'))
    }
    socket.say({ id: 1, result: '0x1' })
    socket.say({ id: 2, result: '0x7' })
    expect(headNumber()).toBe(1000)
  })
})

async function dialled(): Promise<ScriptedSocket> {
  world = await openScriptedNetwork([{ name: 'node', ws: WS }])
  return world.sockets.all[0] as ScriptedSocket
}

async function subscribed(): Promise<ScriptedSocket> {
  const socket = await dialled()
  socket.serve(1)
  await world.clock.advance(1)
  expect(socket.calls.map(({ method }) => method)).toEqual(['eth_chainId', 'eth_subscribe'])
  return socket
}

function headNumber(): number | undefined {
  return world.upstream('node').head?.number
}
