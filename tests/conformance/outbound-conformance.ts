import { afterEach, describe, expect, test } from 'bun:test'
import { Failure } from '../../src/core/errors.ts'
import type { Outbound } from '../../src/ports/outbound.ts'
import { answerText, atRest, type Peer, until } from '../support/nodes/scripted-server.ts'
import {
  type Bench,
  CHUNKED_HEAD,
  MIXED_TEXT,
  openBench,
  READERS,
  readAll,
} from './outbound-bench.ts'
import { answerExam, packedExam, requestExam } from './outbound-message-exams.ts'

const MEBIBYTE = 1024 * 1024

/** More than the runtime's client has in flight unless told otherwise: some have to wait. */
const MANY_CALLS = 500

/** What every driver must do. All of it over plain HTTP, which the one for TLS speaks as well. */
export function outboundConformance(driver: string, open: () => Outbound): void {
  describe(`${driver} outbound`, () => {
    const bench = openBench(open())
    afterEach(() => bench.clear())
    requestExam(bench)
    answerExam(bench)
    packedExam(bench)
    sizeExam(bench)
    connectionExam(bench)
    cancelExam(bench)
    brokenExam(bench)
  })
}

function sizeExam({ serve, ask }: Bench): void {
  test('five mebibytes arrive byte for byte, there and back', async () => {
    const body = MIXED_TEXT.repeat((5 * MEBIBYTE) / Buffer.byteLength(MIXED_TEXT))
    const server = serve({
      onRequest: (peer, asked) => peer.send(lengthHead(asked.body.length), asked.body),
    })
    expect((await (await ask(server, body).answer).text()) === body).toBe(true)
    const streamed = await readAll(await ask(server, body).answer)
    expect(streamed.equals(Buffer.from(body))).toBe(true)
  })

  test('whoever reads slowly slows the sender down, and misses nothing', async () => {
    const bytes = 64 * MEBIBYTE
    const server = serve({
      onRequest: (peer) => peer.send(lengthHead(bytes), Buffer.alloc(bytes, 'a')),
    })
    const reader = (await ask(server).answer).stream().getReader()
    let readBytes = (await reader.read()).value?.length ?? 0
    const sentBytes = await atRest(() => server.peers[0]?.sentBytes ?? 0)
    // The kernel's own buffers take a few mebibytes on either side.
    expect(sentBytes).toBeLessThan(bytes / 2)
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      readBytes += part.value.length
    }
    expect(readBytes).toBe(bytes)
  })

  test('many calls at once each get their own answer', async () => {
    const server = serve({
      onRequest: (peer, { body }) => peer.send(answerText(`to ${body.toString()}`)),
    })
    const numbers = Array.from({ length: MANY_CALLS }, (_, at) => at)
    const texts = numbers.map(async (at) => (await ask(server, String(at)).answer).text())
    expect(await Promise.all(texts)).toEqual(numbers.map((at) => `to ${at}`))
    expect(server.requests()).toHaveLength(MANY_CALLS)
  })
}

function connectionExam({ serve, serveBytes, ask }: Bench): void {
  test('a kept connection is used again', async () => {
    const server = serveBytes(answerText('ok'))
    for (let call = 0; call < 5; call++) await (await ask(server).answer).text()
    expect(server.peers.map((peer) => peer.requests.length)).toEqual([5])
  })

  test('a call that must not be sent twice never rides on a kept connection', async () => {
    const server = serveBytes(answerText('ok'))
    await (await ask(server).answer).text()
    await (await ask(server, 'once', { repeatable: false }).answer).text()
    expect(server.peers.map((peer) => peer.requests.length)).toEqual([1, 1])
  })

  test('a connection that is to be closed is not used again', async () => {
    const server = serveBytes(answerText('ok', 'Connection: Close\r\n'))
    for (let call = 0; call < 3; call++) await (await ask(server).answer).text()
    expect(server.peers.map((peer) => peer.requests.length)).toEqual([1, 1, 1])
  })

  test('a connection that is given up while idle costs no call', async () => {
    const server = serveBytes(answerText('ok'))
    for (let call = 0; call < 5; call++) {
      expect(await (await ask(server).answer).text()).toBe('ok')
      server.peers.at(-1)?.hangUp()
      await until(() => server.peers.every((peer) => peer.closed), 'the connection to close')
    }
    expect(server.peers.map((peer) => peer.requests.length)).toEqual([1, 1, 1, 1, 1])
  })

  test.each([
    ['a goodbye', (peer: Peer) => peer.end()],
    ['a reset', (peer: Peer) => peer.reset()],
  ])('%s on a kept connection costs a repeatable call nothing', async (_what, giveUp) => {
    const server = serve({
      onRequest(peer) {
        if (peer.requests.length > 1) return giveUp(peer)
        // The first two wait for each other, so that two connections are kept.
        if (server.requests().length === 1) return
        for (const each of server.requests().length === 2 ? server.peers : [peer]) {
          each.send(answerText('ok'))
        }
      },
    })
    await Promise.all([ask(server), ask(server)].map(async (call) => (await call.answer).text()))
    expect(await (await ask(server).answer).text()).toBe('ok')
    expect(server.peers.map((peer) => peer.requests.length).sort()).toEqual([1, 1, 2])
  })

  test('a call that must not be sent twice is not, whatever becomes of its answer', async () => {
    for (const start of ['', 'HTTP/1.1 2', `${lengthHead(5)}hel`]) {
      for (const giveUp of [(peer: Peer) => peer.end(), (peer: Peer) => peer.reset()]) {
        const server = serve({
          onRequest(peer) {
            peer.send(start)
            giveUp(peer)
          },
        })
        const text = ask(server, 'x', { repeatable: false }).answer.then((answer) => answer.text())
        await expect(text).rejects.toThrow()
        expect(server.requests()).toHaveLength(1)
      }
    }
  })

  test('a host that is not there cannot have been sent anything', async () => {
    const server = serve({})
    server.stop()
    for (const repeatable of [true, false]) {
      const thrown = await ask(server, 'x', { repeatable }).answer.catch((why: unknown) => why)
      expect(thrown).toBeInstanceOf(Failure)
      expect((thrown as Failure).code).toBe('upstream_unreachable')
    }
  })
}

function cancelExam({ serve, serveBytes, ask }: Bench): void {
  test('a call can be given up before there is a connection', async () => {
    const server = serveBytes(answerText('ok'))
    const call = ask(server, 'given up')
    call.cancel()
    await expect(call.answer).rejects.toBeInstanceOf(Failure)
    expect(await (await ask(server, 'other').answer).text()).toBe('ok')
  })

  test('a call can be given up before its answer, and the server hears of it', async () => {
    const server = serve({})
    const call = ask(server)
    await until(() => server.requests().length === 1, 'the request')
    call.cancel()
    call.cancel()
    await expect(call.answer).rejects.toBeInstanceOf(Failure)
    await until(() => server.peers[0]?.closed === true, 'the connection to close')
  })

  test.each(READERS)('a body read %s fails when the call is given up', async (_how, read) => {
    const server = serveBytes(lengthHead(10), 'hello')
    const call = ask(server)
    const answer = await call.answer
    const reading = read(answer)
    call.cancel()
    await expect(reading).rejects.toThrow()
    await until(() => server.peers[0]?.closed === true, 'the connection to close')
  })

  test('a body given up before anyone reads it fails its reader', async () => {
    const server = serveBytes(lengthHead(10), 'hello')
    for (const [_how, read] of READERS) {
      const call = ask(server)
      const answer = await call.answer
      call.cancel()
      await expect(read(answer)).rejects.toThrow()
    }
  })

  test('giving up a stream in the middle ends the connection', async () => {
    const server = serveBytes(lengthHead(10), 'hello')
    const reader = (await ask(server).answer).stream().getReader()
    await reader.read()
    await reader.cancel()
    await until(() => server.peers[0]?.closed === true, 'the connection to close')
  })

  test('giving up what has already come whole does no harm', async () => {
    const server = serveBytes(answerText('ok'))
    const call = ask(server)
    const text = await (await call.answer).text()
    call.cancel()
    expect(text).toBe('ok')
    expect(await (await ask(server).answer).text()).toBe('ok')
  })
}

function brokenExam({ serve, ask }: Bench): void {
  const endings: [what: string, start: string][] = [
    ['nothing', ''],
    ['half a head', 'HTTP/1.1 200 OK\r\ncontent-le'],
    ['a head', lengthHead(10)],
    ['half a body', `${lengthHead(10)}hello`],
    ['a chunk', `${CHUNKED_HEAD}5\r\nhello\r\n`],
    ['half a chunk', `${CHUNKED_HEAD}5\r\nhel`],
  ]
  const reads = endings.flatMap((ending) =>
    READERS.map((reader) => [...ending, ...reader] as const),
  )

  test.each(reads)(
    'an answer cut after %s (%j) and read %s fails',
    async (_what, start, _how, read) => {
      const server = serve({
        onRequest(peer) {
          peer.send(start)
          peer.end()
        },
      })
      await expect(ask(server).answer.then(read)).rejects.toThrow()
    },
  )

  test('whoever speaks another protocol is told apart at once', async () => {
    const server = serve({ onRequest: (peer) => peer.send('SSH-2.0-OpenSSH_9.2\r\n') })
    await expect(ask(server).answer).rejects.toBeInstanceOf(Failure)
  })
}

function lengthHead(bytes: number): string {
  return `HTTP/1.1 200 OK\r\ncontent-length: ${bytes}\r\n\r\n`
}
