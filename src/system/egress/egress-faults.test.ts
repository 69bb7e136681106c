import { afterEach, describe, expect, test } from 'bun:test'
import {
  type EgressBench,
  openEgressBench,
  TIMEOUT_MS,
} from '../../../tests/support/nodes/egress-bench.ts'
import {
  answerText,
  atRest,
  type Peer,
  until,
} from '../../../tests/support/nodes/scripted-server.ts'

const MEBIBYTE = 1024 * 1024
const HEAD_BYTES_MAX = 64 * 1024
const HEAD_PIECES_MAX = 256
const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'

let bench: EgressBench
const open = () => {
  bench = openEgressBench()
  return bench
}
afterEach(() => bench.clear())

describe('a receiver that does not speak HTTP', () => {
  test.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['the beginning of nothing', 'x'],
    ['HTTP/2', '\u0000\u0000\u0012\u0004\u0000'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['a protocol that nobody asked for', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx'],
    ['a length below nothing', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n'],
    ['a coding that is not known', 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\nx'],
    ['a chunk without a size', `${CHUNKED}hello\r\n`],
    ['a chunk longer than it said', `${CHUNKED}1\r\nhello\r\n0\r\n\r\n`],
    ['endless headers', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(HEAD_BYTES_MAX / 5)}`],
    ['endless interim answers', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(HEAD_BYTES_MAX / 20)],
    ['endless trailers', `${CHUNKED}0\r\n${'x: y\r\n'.repeat(HEAD_BYTES_MAX / 3)}`],
  ])('is told from one that does: %s', async (_title, text) => {
    const { serveBytes, post } = open()
    const server = serveBytes(text)
    expect(await post(server)).toMatchObject({
      status: null,
      fault: 'protocol',
      bodyStart: '',
      address: '127.0.0.1',
    })
    await until(() => server.peers[0]?.closed === true, 'the connection to close')
    expect(server.requests()).toHaveLength(1)
  })

  test('may not send a head byte by byte', async () => {
    const { serve, post } = open()
    let sent = 0
    const server = serve({
      async onRequest(peer) {
        for (; !peer.closed && sent < HEAD_PIECES_MAX * 100; sent++) {
          peer.send(sent === 0 ? 'HTTP/1.1 200 OK\r\nx: ' : 'y')
          await Bun.sleep(0)
        }
      },
    })
    expect((await post(server)).fault).toBe('protocol')
    expect(sent).toBeLessThan(HEAD_PIECES_MAX * 100)
  })
})

describe('a connection that is lost', () => {
  test.each<[string, (peer: Peer) => void]>([
    ['closed without a word', (peer) => peer.end()],
    ['torn down', (peer) => peer.reset()],
    ['within the head', (peer) => breakOff(peer, 'HTTP/1.1 200 OK\r\nconte')],
    ['within the body', (peer) => breakOff(peer, `${answerText('hello').slice(0, -2)}`)],
    ['within a chunk', (peer) => breakOff(peer, `${CHUNKED}5\r\nhel`)],
    ['before the last chunk', (peer) => breakOff(peer, `${CHUNKED}5\r\nhello\r\n`)],
  ])('is a reset, and a new one is not tried again: %s', async (_title, onRequest) => {
    const { serve, post } = open()
    const server = serve({ onRequest })
    expect(await post(server)).toMatchObject({ status: null, fault: 'reset' })
    expect(await atRest(() => server.peers.length)).toBe(1)
  })

  test('is no end of an answer that lasts until the close', async () => {
    const { serve, post } = open()
    const server = serve({ onRequest: (peer) => peer.send('HTTP/1.1 200 OK\r\n\r\nhello') })
    const posting = post(server)
    await until(() => server.requests().length === 1, 'the request')
    await Bun.sleep(5)
    server.peers[0]?.reset()
    expect(await posting).toMatchObject({ status: null, fault: 'reset' })
  })

  test('was never there when nobody listens', async () => {
    const { serve, post } = open()
    const server = serve({})
    server.stop()
    expect(await post(server)).toMatchObject({ status: null, fault: 'connect', address: null })
  })
})

describe('the time of a delivery', () => {
  test.each<[string, (peer: Peer) => void]>([
    ['says nothing', () => {}],
    ['stops within the head', (peer) => peer.send('HTTP/1.1 200 OK\r\n')],
    ['stops within the body', (peer) => peer.send(answerText('hello').slice(0, -2))],
    ['never ends its answer', (peer) => peer.send('HTTP/1.1 200 OK\r\n\r\nhello')],
  ])('ends for a receiver that %s', async (_title, answer) => {
    const { clock, serve, post } = open()
    const server = serve({ onRequest: answer })
    const posting = post(server)
    await until(() => server.requests().length === 1, 'the request')
    await Bun.sleep(5)
    await clock.advance(TIMEOUT_MS)
    expect(await posting).toMatchObject({
      status: null,
      fault: 'timeout',
      ms: { total: TIMEOUT_MS },
    })
    await until(() => server.peers[0]?.closed === true, 'the connection to close')
    // The sweep of idle connections is all that is left.
    expect(clock.timers()).toBe(1)
  })

  test('is not longer for one that drips', async () => {
    const { clock, serve, post } = open()
    const server = serve({ onRequest: (peer) => peer.send('HTTP/1.1 200 OK\r\n\r\n') })
    let outcome: string | null = null
    post(server).then(({ fault }) => {
      outcome = fault
    })
    await until(() => server.requests().length === 1, 'the request')
    for (let second = 0; second < TIMEOUT_MS / 1000; second++) {
      expect(outcome).toBeNull()
      server.peers[0]?.send('.')
      await clock.advance(1000)
    }
    expect(outcome as string | null).toBe('timeout')
  })

  test('ends for one that does not read', async () => {
    const { clock, serve, post } = open()
    const server = serve({ onOpen: (peer) => peer.pause() })
    const posting = post(server, 'x'.repeat(10 * MEBIBYTE))
    await until(() => server.peers.length === 1, 'the connection')
    await Bun.sleep(5)
    await clock.advance(TIMEOUT_MS)
    expect((await posting).fault).toBe('timeout')
    server.peers[0]?.resume()
    await until(() => server.peers[0]?.closed === true, 'the connection to close')
    expect(server.requests()).toHaveLength(0)
  })
})

describe('an answer of a gigabyte', () => {
  test.each([
    ['that says so', `content-length: ${1024 * MEBIBYTE}\r\n`],
    ['that does not', ''],
  ])('counts, and is not read: one %s', async (_title, header) => {
    const { serve, post } = open()
    const piece = Buffer.alloc(MEBIBYTE, 'x')
    const server = serve({
      onRequest: (peer) =>
        peer.send(`HTTP/1.1 200 OK\r\n${header}\r\n`, ...Array.from({ length: 64 }, () => piece)),
    })
    const { status, fault, bodyStart } = await post(server)
    expect({ status, fault, bodyStart }).toEqual({
      status: 200,
      fault: null,
      bodyStart: 'x'.repeat(4096),
    })
    await until(() => server.peers[0]?.closed === true, 'the connection to close')
    expect(server.peers[0]?.sentBytes).toBeLessThan(32 * MEBIBYTE)
  })

  test('is read to its end when it is small, for the sake of the connection', async () => {
    const { serveBytes, post } = open()
    const server = serveBytes(answerText('x'.repeat(60 * 1024)))
    for (let call = 0; call < 3; call++) expect((await post(server)).status).toBe(200)
    expect(server.peers).toHaveLength(1)
  })
})

function breakOff(peer: Peer, text: string): void {
  peer.send(text)
  peer.end()
}
