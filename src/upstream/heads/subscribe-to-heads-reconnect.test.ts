import { afterEach, describe, expect, test } from 'bun:test'
import {
  blockAt,
  openScriptedNetwork,
  POLL_MS,
  type ScriptedNetwork,
} from '../../../tests/support/nodes/scripted-network.ts'
import type { ScriptedSocket } from '../../../tests/support/nodes/scripted-sockets.ts'

const SECOND = 1000
const WS = 'ws://user:hunter%202@node/secret-path'

let world: ScriptedNetwork

afterEach(() => world.network.stop())

describe('the connection', () => {
  test('carries credentials in a header, and no log line says any of it', async () => {
    const headers = { 'x-vendor': 'hunter3' }
    world = await openScriptedNetwork([{ name: 'node', ws: WS, headers }])
    const [socket] = world.sockets.all
    expect(socket?.url).toBe('ws://node/secret-path')
    expect(socket?.headers).toEqual({
      'x-vendor': 'hunter3',
      authorization: `Basic ${btoa('user:hunter 2')}`,
    })
    socket?.serve(1)
    await world.clock.advance(1)
    socket?.drop()
    await world.clock.advance(1)
    expect(world.socketLog()).toEqual([
      ['open', null],
      ['lost', 'lost'],
    ])
    expect(JSON.stringify(world.log)).not.toMatch(/hunter|secret|ws:|Basic/)
    expect(world.log.find(({ event }) => event === 'head_socket')).toMatchObject({
      network: 'ETH_MAINNET',
      upstream: 'node',
    })
  })

  test('is made for each upstream that has a socket, and no other', async () => {
    world = await openScriptedNetwork([
      { name: 'node', ws: 'ws://node/' },
      { name: 'polled' },
      { name: 'third', ws: 'wss://third/' },
    ])
    expect(world.sockets.all.map(({ url }) => url)).toEqual(['ws://node/', 'wss://third/'])
    world.node('polled').block = blockAt(1001)
    await world.clock.advance(POLL_MS)
    expect(world.upstream('polled').head?.number).toBe(1001)
  })

  test('is not made for a network that has no such subscription', async () => {
    world = await openScriptedNetwork([{ name: 'node', ws: WS }], { kind: 'solana' })
    expect(world.sockets.all).toEqual([])
  })

  test('is tried again later and later, up to half a minute, and logged once', async () => {
    world = await openScriptedNetwork([{ name: 'node', ws: WS }])
    world.sockets.auto = (socket) => socket.drop()
    world.sockets.all[0]?.drop()
    await world.clock.advance(0)
    const waits: number[] = []
    let lastMs = world.clock.monotonicMs()
    while (waits.length < 9) {
      const before = world.sockets.all.length
      while (world.sockets.all.length === before) await world.clock.advance(250)
      waits.push((world.clock.monotonicMs() - lastMs) / SECOND)
      lastMs = world.clock.monotonicMs()
    }
    expect(waits).toEqual([0.5, 1, 2, 4, 8, 16, 30, 30, 30])
    expect(world.socketLog()).toEqual([['lost', 'unreachable']])
  })

  test.each([
    ['a minute is made again at once', 60 * SECOND, 500],
    ['five seconds is made again later', 5 * SECOND, 1000],
  ])('that broke after %s', async (_title, lastedMs, againAfterMs) => {
    const first = await subscribed()
    first.drop()
    await world.clock.advance(0)
    await world.clock.advance(500)
    const second = world.sockets.live()[0] as ScriptedSocket
    second.serve(1)
    await world.clock.advance(1)
    world.node('node').block = blockAt(1001)
    second.announce(blockAt(1001))
    await world.clock.advance(lastedMs)
    second.drop()
    await world.clock.advance(0)
    await world.clock.advance(againAfterMs - 1)
    expect(world.sockets.live()).toHaveLength(0)
    await world.clock.advance(1)
    expect(world.sockets.live()).toHaveLength(1)
  })

  test('that does not answer is given up after ten seconds', async () => {
    const socket = await dialled()
    await world.clock.advance(9 * SECOND)
    expect(socket.state).toBe('opening')
    await world.clock.advance(2 * SECOND)
    expect(socket.state).toBe('closed')
    expect(world.socketLog()).toEqual([['lost', 'no_answer']])
    const [, second] = world.sockets.all
    second?.accept()
    await world.clock.advance(11 * SECOND)
    expect(second?.state).toBe('closed')
  })

  test.each([
    ['the subscription', { id: 2, error: { code: -32601, message: 'no notifications' } }],
    ['the chain', { id: 1, error: { code: -32601, message: 'no such method' } }],
    ['a name for the subscription', { id: 2, result: 7 }],
  ])('is given up by a node that refuses %s', async (_title, answer) => {
    const socket = await dialled()
    socket.accept()
    socket.say(answer)
    await world.clock.advance(1)
    expect(socket.state).toBe('closed')
    expect(world.socketLog()).toEqual([['lost', 'refused']])
  })

  test('ends with the network, and nothing stays behind', async () => {
    const socket = await subscribed()
    world.network.stop()
    await Promise.resolve()
    const timers = world.clock.timers()
    await world.clock.advance(120 * SECOND)
    expect(socket.state).toBe('closed')
    expect(world.sockets.all).toHaveLength(1)
    expect(world.clock.timers()).toBeLessThanOrEqual(timers)
    expect(world.socketLog()).toEqual([['open', null]])
  })

  test('is not made again when the network stops while it waits', async () => {
    const socket = await subscribed()
    socket.drop()
    await world.clock.advance(1)
    world.network.stop()
    await world.clock.advance(120 * SECOND)
    expect(world.sockets.all).toHaveLength(1)
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
