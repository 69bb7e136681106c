import { afterEach, describe, expect, test } from 'bun:test'
import {
  type EgressBench,
  named,
  openEgressBench,
} from '../../../tests/support/nodes/egress-bench.ts'
import {
  answerText,
  atRest,
  type Peer,
  type ScriptedServer,
  until,
} from '../../../tests/support/nodes/scripted-server.ts'

const MEBIBYTE = 1024 * 1024
const IDLE_PER_ORIGIN_MAX = 64

let bench: EgressBench
const open = (...options: Parameters<typeof openEgressBench>) => {
  bench = openEgressBench(...options)
  return bench
}
afterEach(() => bench.clear())

describe('a connection', () => {
  test('carries one delivery after the other', async () => {
    const { serveBytes, post } = open()
    const server = serveBytes(answerText('ok'))
    for (let call = 0; call < 10; call++) {
      expect(await post(server)).toMatchObject({ status: 200, address: '127.0.0.1' })
    }
    expect(server.peers).toHaveLength(1)
    expect(server.requests()).toHaveLength(10)
  })

  test('carries one at a time', async () => {
    const { serveBytes, post } = open()
    const server = serveBytes(answerText('ok'))
    const burst = () => Promise.all(Array.from({ length: 20 }, () => post(server)))
    await burst()
    await burst()
    expect(server.peers.length).toBeLessThanOrEqual(20)
    expect(server.requests()).toHaveLength(40)
  })

  test('belongs to the name it was made for, even where another has the same address', async () => {
    const { serveBytes, post } = open()
    const server = serveBytes(answerText('ok'))
    await post(named('one.test', server))
    await post(named('two.test', server))
    await post(named('one.test', server))
    expect(server.peers.map(({ requests }) => requests.length)).toEqual([2, 1])
  })

  test('is not used for a name that has moved to another address', async () => {
    let address = '127.0.0.1'
    const { clock, serveBytes, post, dialled } = open({ resolve: async () => [address] })
    const server = serveBytes(answerText('ok', 'keep-alive: timeout=600\r\n'))
    await post(named('hook.test', server))
    address = '127.0.0.2'
    await clock.advance(30_000)
    expect(await post(named('hook.test', server))).toMatchObject({ status: 200, address })
    expect(dialled.map((target) => target.address)).toEqual(['127.0.0.1', '127.0.0.2'])
    expect(server.peers).toHaveLength(2)
  })

  test.each([
    ['the receiver says so', answerText('ok', 'connection: close\r\n')],
    ['it is over with the answer', 'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok'],
    ['more came than was said', `${answerText('ok')}more`],
    ['it would be cut at once', answerText('ok', 'keep-alive: timeout=1\r\n')],
  ])('is not kept when %s', async (_title, text) => {
    const { serveBytes, post } = open()
    const server = serveBytes(text)
    for (let call = 0; call < 2; call++) expect((await post(server)).status).toBe(200)
    expect(server.peers).toHaveLength(2)
    await until(() => server.peers.every(({ closed }) => closed), 'the connections to close')
  })

  test('is not kept when the answer came before the delivery was all sent', async () => {
    const { serve, post } = open()
    const server = serve({
      onOpen(peer) {
        peer.pause()
        peer.send(answerText('ok'))
      },
    })
    expect((await post(server, 'x'.repeat(10 * MEBIBYTE))).status).toBe(200)
    expect((await post(server)).status).toBe(200)
    expect(server.peers).toHaveLength(2)
  })

  test('is given up when something comes that nobody asked for', async () => {
    const { serveBytes, post } = open()
    const server = serveBytes(answerText('ok'))
    await post(server)
    server.peers[0]?.send(answerText('a lie'))
    await until(() => server.peers[0]?.closed === true, 'the connection to close')
    expect((await post(server)).bodyStart).toBe('ok')
  })
})

describe('an idle connection', () => {
  test.each([
    ['a few seconds, for that is what most receivers do', '', 3000, 6000],
    ['as long as the receiver says', 'Keep-Alive: timeout=20, max=100\r\n', 17_000, 20_000],
    ['a minute at most', 'Keep-Alive: max=9, timeout=86400\r\n', 59_000, 61_000],
  ])('is kept %s', async (_title, header, stillThereMs, goneMs) => {
    const { clock, serveBytes, post } = open()
    const server = serveBytes(answerText('ok', header))
    await post(server)
    await clock.advance(stillThereMs)
    await post(server)
    expect(server.peers).toHaveLength(1)
    await clock.advance(goneMs)
    await until(() => server.peers[0]?.closed === true, 'the connection to close')
    await post(server)
    expect(server.peers).toHaveLength(2)
  })

  test('is one of a limited number', async () => {
    const { serve, post } = open()
    const waiting: Peer[] = []
    const server = serve({ onRequest: (peer) => waiting.push(peer) })
    const burst = Array.from({ length: IDLE_PER_ORIGIN_MAX + 20 }, () => post(server))
    await until(() => waiting.length === burst.length, 'all requests')
    for (const peer of waiting) peer.send(answerText('ok'))
    await Promise.all(burst)
    expect(await atRest(() => stillOpen(server))).toBe(IDLE_PER_ORIGIN_MAX)
  })

  test('ends when the service does, and so does one that is still in use then', async () => {
    const { egress, serve, post } = open()
    const server = serve({
      onRequest(peer, { body }) {
        if (body.toString() !== 'later') peer.send(answerText('ok'))
      },
    })
    const later = post(server, 'later')
    await until(() => server.requests().length === 1, 'the first')
    await post(server)
    egress.close()
    await until(() => server.peers[1]?.closed === true, 'the idle one to close')
    server.peers[0]?.send(answerText('ok'))
    expect((await later).status).toBe(200)
    await until(() => server.peers[0]?.closed === true, 'the other to close')
  })
})

describe('a kept connection that turns out to be dead', () => {
  test.each<[string, (peer: Peer) => void]>([
    ['closed', (peer) => peer.end()],
    ['torn down', (peer) => peer.reset()],
  ])('costs nothing, the same is sent once more on a new one: %s', async (_title, leave) => {
    const { post } = open()
    const server = await warmServer((peer) => {
      if (peer.number === 1) leave(peer)
      else peer.send(answerText('second'))
    })
    const headers = { 'webhook-id': 'one' }
    const outcome = await post(server, 'again', { headers })
    expect(outcome).toMatchObject({ status: 200, fault: null, bodyStart: 'second' })
    const [, first, second] = server.requests()
    expect(second).toEqual(first!)
    expect(server.peers.map(({ requests }) => requests.length)).toEqual([2, 1])
  })

  test('is replaced once and not twice', async () => {
    const { post } = open()
    const server = await warmServer((peer) => peer.end())
    expect(await post(server, 'again')).toMatchObject({ status: null, fault: 'reset' })
    expect(server.peers.map(({ requests }) => requests.length)).toEqual([2, 1])
  })

  test('is not replaced when an answer had begun', async () => {
    const { post } = open()
    const server = await warmServer((peer) => {
      peer.send('H')
      peer.end()
    })
    expect((await post(server, 'again')).fault).toBe('reset')
    expect(await atRest(() => server.requests().length)).toBe(2)
  })

  test('takes its part of the time of the delivery', async () => {
    const { clock, post } = open()
    const server = await warmServer((peer) => {
      clock.skip(6000)
      if (peer.number === 1) peer.end()
    })
    const posting = post(server, 'again')
    await until(() => server.requests().length === 3, 'the second sending')
    expect(await posting).toMatchObject({ fault: 'timeout' })
  })
})

/** A server with one connection that was used and is kept. */
async function warmServer(onNext: (peer: Peer) => void): Promise<ScriptedServer> {
  const server = bench.serve({
    onRequest(peer, { body }) {
      if (body.toString() === 'warm') peer.send(answerText('ok'))
      else onNext(peer)
    },
  })
  await bench.post(server, 'warm')
  return server
}

function stillOpen(server: ScriptedServer): number {
  return server.peers.filter(({ closed }) => !closed).length
}
