import { afterEach, describe, expect, test } from 'bun:test'
import { type OutboundCall, openBench } from '../../../tests/conformance/outbound-bench.ts'
import {
  answerText,
  atRest,
  type Peer,
  type ScriptedServer,
  until,
} from '../../../tests/support/nodes/scripted-server.ts'
import { Failure } from '../../core/errors.ts'
import { openSocketOutbound } from './socket-outbound.ts'

const MEBIBYTE = 1024 * 1024
const IDLE_MAX = 256
const MANY_CALLS = 500

const { serve, serveBytes, ask, clear } = openBench(openSocketOutbound())
afterEach(clear)

describe('a kept connection that turns out to be dead', () => {
  test('costs a repeatable call nothing: it goes out once more, on a new one', async () => {
    const server = await warmServer((peer) => {
      if (peer.number === 1) peer.end()
      else peer.send(answerText('second'))
    })
    expect(await textOf(ask(server, 'again'))).toBe('second')
    expect(bodiesOf(server)).toEqual([['warm', 'again'], ['again']])
  })

  test('also when it is torn down, or breaks off within the head', async () => {
    for (const last of ['', 'HTTP/1.1 200 OK\r\ncontent-le']) {
      const server = await warmServer((peer) => {
        if (peer.number > 1) return peer.send(answerText('second'))
        peer.send(last)
        peer.reset()
      })
      expect(await textOf(ask(server, 'again'))).toBe('second')
      expect(bodiesOf(server)).toEqual([['warm', 'again'], ['again']])
    }
  })

  test('is replaced once and not twice', async () => {
    const server = await warmServer((peer) => peer.end())
    expect(await codeOf(ask(server, 'again'))).toBe('upstream_answered_badly')
    expect(bodiesOf(server)).toEqual([['warm', 'again'], ['again']])
  })

  test('may have brought the call to its host, even if that is gone afterwards', async () => {
    const server = await warmServer(() => server.stop())
    expect(await codeOf(ask(server, 'again'))).toBe('upstream_answered_badly')
    expect(await codeOf(ask(server, 'again'))).toBe('upstream_unreachable')
  })

  test('is not tried again by a call that was given up meanwhile', async () => {
    const server = await warmServer((peer) => {
      call.cancel()
      peer.end()
    })
    const call = ask(server, 'again')
    expect(await codeOf(call)).toBe('upstream_answered_badly')
    await until(() => server.peers[0]?.closed === true, 'the connection to close')
    expect(await atRest(() => server.peers.length)).toBe(1)
  })
})

describe('a call is never sent a second time', () => {
  test('when its answer has begun', async () => {
    const server = await warmServer((peer) => {
      peer.send('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhel')
      peer.end()
    })
    await expect(textOf(ask(server, 'again'))).rejects.toThrow()
    expect(bodiesOf(server)).toEqual([['warm', 'again']])
  })

  test('when its answer is no HTTP', async () => {
    const server = await warmServer((peer) => peer.send('SSH-2.0\r\n'))
    expect(await codeOf(ask(server, 'again'))).toBe('upstream_answered_badly')
    await until(() => server.peers[0]?.closed === true, 'the connection to close')
    expect(await atRest(() => server.peers.length)).toBe(1)
    expect(bodiesOf(server)).toEqual([['warm', 'again']])
  })

  test('when it was on a new connection', async () => {
    const server = serve({ onRequest: (peer) => peer.end() })
    expect(await codeOf(ask(server))).toBe('upstream_answered_badly')
    expect(server.requests()).toHaveLength(1)
  })
})

describe('a connection is not used again', () => {
  test('when something came that nobody asked for', async () => {
    const server = await warmServer((peer) => peer.send(answerText('asked for')))
    server.peers[0]?.send(answerText('not asked for'))
    await until(() => server.peers[0]?.closed === true, 'the connection to close')
    expect(await textOf(ask(server))).toBe('asked for')
    expect(server.peers).toHaveLength(2)
  })

  test('when the answer was longer than it said', async () => {
    const server = serveBytes(`${answerText('first')}${answerText('second')}`)
    for (let call = 0; call < 3; call++) expect(await textOf(ask(server))).toBe('first')
    expect(server.peers).toHaveLength(3)
  })

  test('when it said its length in two ways', async () => {
    const chunks = '5\r\nhello\r\n0\r\n\r\n'
    const server = serveBytes(answerText(chunks, 'transfer-encoding: chunked\r\n'))
    for (let call = 0; call < 2; call++) expect(await textOf(ask(server))).toBe('hello')
    expect(server.peers).toHaveLength(2)
  })

  test('when its call was given up', async () => {
    const server = await warmServer((peer, body) => {
      if (body !== 'given up') peer.send(answerText('ok'))
    })
    const call = ask(server, 'given up')
    await until(() => server.requests().length === 2, 'the request')
    call.cancel()
    expect(await codeOf(call)).toBe('upstream_answered_badly')
    expect(await textOf(ask(server, 'next'))).toBe('ok')
    expect(bodiesOf(server)).toEqual([['warm', 'given up'], ['next']])
  })

  test('when the answer came before the call was all sent', async () => {
    const server = serve({
      onOpen(peer) {
        if (peer.number > 1) return
        peer.pause()
        peer.send(answerText('too long for me'))
      },
      onRequest: (peer) => peer.send(answerText('ok')),
    })
    expect(await textOf(ask(server, 'x'.repeat(16 * MEBIBYTE)))).toBe('too long for me')
    const next = textOf(ask(server, 'next'))
    server.peers[0]?.resume()
    expect(await next).toBe('ok')
    expect(bodiesOf(server).at(-1)).toEqual(['next'])
  })

  test('when there are enough of them', async () => {
    const server = await crowd()
    await until(() => openPeers(server) <= IDLE_MAX, 'the surplus to close')
    expect(await atRest(() => openPeers(server))).toBe(IDLE_MAX)
    expect(await crowd(server)).toBe(server)
  })
})

describe('a socket', () => {
  test('is shared by all addresses of one host and port, and by no other', async () => {
    const server = serveBytes(answerText('ok'))
    const other = serveBytes(answerText('other'))
    for (const path of ['a', 'b?c']) await textOf(ask(server, 'x', { path }))
    expect(server.peers).toHaveLength(1)
    expect(await textOf(ask(other))).toBe('other')
    const headers = { 'x-key': 'k' }
    for (const path of ['d', 'e']) await textOf(ask(server, 'x', { path, headers }))
    const starts = server.requests().map(({ head }) => head.split(' HTTP')[0])
    expect(starts).toEqual(['POST /a', 'POST /b?c', 'POST /d', 'POST /e'])
    expect(server.peers).toHaveLength(1)
  })

  test('goes to hosts by their name as well', async () => {
    const server = serveBytes(answerText('ok'))
    const { port } = new URL(server.url)
    expect(await textOf(ask({ url: `http://localhost:${port}/` }))).toBe('ok')
  })

  test('sends nothing for a call that is given up before it is open', async () => {
    const server = serveBytes(answerText('ok'))
    const call = ask(server, 'given up')
    call.cancel()
    expect(await codeOf(call)).toBe('upstream_answered_badly')
    await until(() => server.peers[0]?.closed === true, 'the connection to close')
    expect(server.requests()).toHaveLength(0)
  })

  test('sends nothing for a call that is given up in the turn it was made in', async () => {
    const server = await warmServer((peer, body) => peer.send(answerText(body)))
    const call = ask(server, 'given up')
    call.cancel()
    expect(await codeOf(call)).toBe('upstream_answered_badly')
    expect(await textOf(ask(server, 'next'))).toBe('next')
    await until(() => server.peers[0]?.closed === true, 'the connection to close')
    expect(bodiesOf(server)).toEqual([['warm'], ['next']])
  })

  test('sends a big body to a server that reads it late', async () => {
    const server = serve({
      onOpen: (peer) => peer.pause(),
      onRequest: (peer, { body }) => peer.send(answerText(Bun.hash(body).toString())),
    })
    const body = 'é€😀x'.repeat(2 * MEBIBYTE)
    const hash = textOf(ask(server, body))
    await until(() => server.peers.length === 1, 'the connection')
    for (let turn = 0; turn < 10; turn++) {
      server.peers[0]?.resume()
      await new Promise(setImmediate)
      server.peers[0]?.pause()
    }
    server.peers[0]?.resume()
    expect(await hash).toBe(Bun.hash(Buffer.from(body)).toString())
    expect(server.requests()).toHaveLength(1)
  })

  test('that waited for its reader is fit for the next call', async () => {
    const server = serve({
      onRequest: (peer, { body }) => peer.send(answerText('x'.repeat(Number(body.toString())))),
    })
    for (const bytes of [MEBIBYTE + 1, 5 * MEBIBYTE, 1]) {
      const answer = await ask(server, String(bytes)).answer
      await atRest(() => server.peers[0]?.sentBytes ?? 0)
      expect((await answer.text()).length).toBe(bytes)
    }
    expect(server.peers).toHaveLength(1)
  })

  test('gives all of a body to a slow reader, though its sender has long gone', async () => {
    const body = 'x'.repeat(4 * MEBIBYTE)
    const server = serve({
      onRequest(peer) {
        peer.send('HTTP/1.0 200 OK\r\n\r\n', body)
        peer.end()
      },
    })
    const answer = await ask(server).answer
    await atRest(() => server.peers[0]?.sentBytes ?? 0)
    expect((await answer.text()).length).toBe(body.length)
  })

  test('that is torn down is no end of a body that lasts until the close', async () => {
    const server = serveBytes('HTTP/1.1 200 OK\r\n\r\nhello')
    const reading = textOf(ask(server))
    await until(() => (server.peers[0]?.sentBytes ?? 0) > 0, 'the answer to leave')
    server.peers[0]?.reset()
    await expect(reading).rejects.toThrow()
  })

  test('says of a packing it does not know that it cannot read it', async () => {
    const server = serveBytes(answerText('???', 'content-encoding: rot13\r\n'))
    await expect(textOf(ask(server))).rejects.toBeInstanceOf(Failure)
  })
})

/** A server with one kept connection; everything after the first call goes to `then`. */
async function warmServer(then: (peer: Peer, body: string) => void): Promise<ScriptedServer> {
  const server = serve({
    onRequest(peer, request) {
      const body = request.body.toString()
      if (body === 'warm') peer.send(answerText('warm'))
      else then(peer, body)
    },
  })
  expect(await textOf(ask(server, 'warm'))).toBe('warm')
  return server
}

/** Many calls that are answered only when all of them have come. */
async function crowd(known?: ScriptedServer): Promise<ScriptedServer> {
  const waiting: Peer[] = []
  const server =
    known ??
    serve({
      onRequest(peer) {
        waiting.push(peer)
        if (waiting.length < MANY_CALLS) return
        for (const each of waiting.splice(0)) each.send(answerText('ok'))
      },
    })
  const texts = Array.from({ length: MANY_CALLS }, () => textOf(ask(server)))
  expect(new Set(await Promise.all(texts))).toEqual(new Set(['ok']))
  return server
}

function openPeers(server: ScriptedServer): number {
  return server.peers.filter((peer) => !peer.closed).length
}

/** Bodies of the requests, by connection. */
function bodiesOf(server: ScriptedServer): string[][] {
  return server.peers.map((peer) => peer.requests.map(({ body }) => body.toString()))
}

async function textOf(call: OutboundCall): Promise<string> {
  return (await call.answer).text()
}

async function codeOf(call: OutboundCall): Promise<string> {
  const thrown = await call.answer.catch((why: unknown) => why)
  return thrown instanceof Failure ? thrown.code : `no failure: ${thrown}`
}
