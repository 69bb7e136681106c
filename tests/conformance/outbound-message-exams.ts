import { expect, test } from 'bun:test'
import { deflateSync } from 'node:zlib'
import { answerText, type Peer } from '../support/nodes/scripted-server.ts'
import { type Bench, CHUNKED_HEAD, MIXED_TEXT, READERS, readAll } from './outbound-bench.ts'

export function requestExam({ serveBytes, ask }: Bench): void {
  test.each([
    ['plain', '{"id":1}'],
    ['of Latin letters', 'é'.repeat(1000)],
    ['of every kind of character', MIXED_TEXT],
    ['that is empty', ''],
    ['with half a character', `"\ud800"`],
  ])('a body %s arrives byte for byte, and its length is told', async (_kind, body) => {
    const server = serveBytes(answerText('ok'))
    await (await ask(server, body).answer).text()
    const [request] = server.requests()
    expect(request?.body).toEqual(Buffer.from(body))
    expect(request?.head).toMatch(new RegExp(`^content-length: ${Buffer.byteLength(body)}$`, 'im'))
  })

  test('headers, path and query arrive as they are', async () => {
    const server = serveBytes(answerText('ok'))
    const headers = { 'content-type': 'application/json', 'X-Note': 'a, b;c="d"' }
    await ask(server, 'x', { headers, path: 'v2/a%20b?key=%2F&x' }).answer
    const head = server.requests()[0]?.head ?? ''
    expect(head).toStartWith('POST /v2/a%20b?key=%2F&x HTTP/1.1\r\n')
    expect(head).toMatch(/^content-type: application\/json$/im)
    expect(head).toMatch(/^x-note: a, b;c="d"$/im)
    expect(head.match(/^host: .*$/gim)).toEqual([expect.stringContaining(new URL(server.url).host)])
  })

  test('headers of one call go with that call alone', async () => {
    const server = serveBytes(answerText('ok'))
    const headers = { 'x-kept': '1' }
    await ask(server, 'x', { headers, callHeaders: { 'x-once': '2' } }).answer
    await ask(server, 'x', { headers }).answer
    const [first = '', second = ''] = server.requests().map(({ head }) => head)
    expect(first).toMatch(/^x-kept: 1$/im)
    expect(first).toMatch(/^x-once: 2$/im)
    expect(second).toMatch(/^x-kept: 1$/im)
    expect(second).not.toMatch(/^x-once/im)
    const asking = async () => ask(server, 'x', { callHeaders: { a: 'b\r\nc: d' } }).answer
    await expect(asking()).rejects.toThrow()
    expect(server.requests()).toHaveLength(2)
  })

  test('a host header of the caller takes the place of the usual one', async () => {
    const server = serveBytes(answerText('ok'))
    await ask(server, 'x', { headers: { Host: 'node.example' } }).answer
    expect(server.requests()[0]?.head.match(/^host: .*$/gim)).toEqual(['Host: node.example'])
  })

  test('no header of the caller can move the end of the body', async () => {
    const server = serveBytes(answerText('ok'))
    const headers = { 'Content-Length': '1', 'transfer-encoding': 'chunked' }
    await ask(server, 'whole body', { headers }).answer
    const [request] = server.requests()
    expect(request?.head.match(/^(content-length|transfer-encoding): .*$/gim)).toHaveLength(1)
    expect(request?.body.toString()).toBe('whole body')
  })

  test('a header that would be two lines is never sent', async () => {
    const server = serveBytes(answerText('ok'))
    const asking = async () => ask(server, 'x', { headers: { a: 'b\r\nc: d' } }).answer
    await expect(asking()).rejects.toThrow()
    expect(server.requests()).toHaveLength(0)
  })
}

export function answerExam({ serve, serveBytes, ask }: Bench): void {
  test('status and headers can be read, in whatever case they are written', async () => {
    const head = 'HTTP/1.1 429 Slow Down\r\nRetry-After:  7 \r\nSet-cookie: a\r\ncontent-length: 2'
    const answer = await ask(serveBytes(`${head}\r\n\r\nno`)).answer
    expect(answer.status).toBe(429)
    expect(answer.header('retry-after')).toBe('7')
    expect(answer.header('Retry-After')).toBe('7')
    expect(answer.header('x-other')).toBeNull()
    expect(answer.length).toBe(2)
    expect(await answer.text()).toBe('no')
  })

  test('a header sent twice is one list', async () => {
    const answer = await ask(serveBytes(answerText('', 'x-a: 1\r\nx-b: 2\r\nX-A: 3\r\n'))).answer
    expect(answer.header('x-a')).toBe('1, 3')
  })

  test('a redirect is handed back instead of followed', async () => {
    const server = serveBytes('HTTP/1.1 307 x\r\nlocation: /echo\r\ncontent-length: 0\r\n\r\n')
    const answer = await ask(server).answer
    expect([answer.status, answer.header('location')]).toEqual([307, '/echo'])
    expect(server.requests()).toHaveLength(1)
  })

  test.each([
    ['204', 'HTTP/1.1 204 No Content\r\n\r\n'],
    ['an empty body', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'],
    ['an empty chunked body', `${CHUNKED_HEAD}0\r\n\r\n`],
    [
      'an empty packed body',
      'HTTP/1.1 200 x\r\ncontent-encoding: gzip\r\ncontent-length: 0\r\n\r\n',
    ],
  ])('%s ends at once', async (_kind, bytes) => {
    const server = serveBytes(bytes)
    expect(await (await ask(server).answer).text()).toBe('')
    expect((await readAll(await ask(server).answer)).length).toBe(0)
  })

  test.each([
    ['chunks', `${CHUNKED_HEAD}3;x=y\r\n{"a\r\n6\r\n":"é"\r\n1\r\n}\r\n0\r\nx-trailer: 1\r\n\r\n`],
    ['an announcement first', `HTTP/1.1 100 Continue\r\n\r\n${answerText('{"a":"é"}')}`],
    ['a body that lasts until the close', 'HTTP/1.0 200 OK\r\n\r\n{"a":"é"}'],
  ])('%s, whole or drop by drop, make the same answer', async (_kind, text) => {
    const bytes = Buffer.from(text)
    const drip = async (peer: Peer) => {
      for (const byte of bytes) {
        peer.send(Uint8Array.of(byte))
        await new Promise(setImmediate)
      }
      close(peer)
    }
    // Others are kept: a goodbye would have to be noticed before the next call.
    const close = (peer: Peer) => text.startsWith('HTTP/1.0') && peer.end()
    const server = serve({
      onRequest(peer, { body }) {
        if (body.toString() === 'drip') return void drip(peer)
        peer.send(bytes)
        close(peer)
      },
    })
    for (const how of ['whole', 'drip']) {
      expect(await (await ask(server, how).answer).text()).toBe('{"a":"é"}')
      expect((await readAll(await ask(server, how).answer)).toString()).toBe('{"a":"é"}')
    }
  })
}

export function packedExam({ serveBytes, ask }: Bench): void {
  const text = MIXED_TEXT.repeat(2000)

  test.each([
    ['gzip', Bun.gzipSync(Buffer.from(text))],
    ['GZIP', Bun.gzipSync(Buffer.from(text))],
    ['deflate', deflateSync(text)],
    ['zstd', Bun.zstdCompressSync(Buffer.from(text))],
  ])('an answer packed by %s arrives unpacked', async (packing, packed) => {
    const head = `content-encoding: ${packing}\r\ncontent-length: ${packed.length}`
    const server = serveBytes(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n`, packed)
    const answer = await ask(server).answer
    expect(answer.length).toBeNull()
    expect(await answer.text()).toBe(text)
    expect((await readAll(await ask(server).answer)).toString()).toBe(text)
  })

  test('a packed answer that is cut or no such thing fails', async () => {
    const packed = Bun.gzipSync(Buffer.from(text))
    for (const bytes of [packed.subarray(0, packed.length / 2), Buffer.from('not packed')]) {
      const head = `content-encoding: gzip\r\ncontent-length: ${bytes.length}`
      const server = serveBytes(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n`, bytes)
      for (const [_how, read] of READERS) {
        await expect(ask(server).answer.then(read)).rejects.toThrow()
      }
    }
  })
}
