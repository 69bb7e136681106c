import { afterEach, describe, expect, test } from 'bun:test'
import { MIXED_TEXT } from '../../../tests/conformance/outbound-bench.ts'
import {
  type EgressBench,
  named,
  openEgressBench,
  TIMEOUT_MS,
} from '../../../tests/support/nodes/egress-bench.ts'
import { answerText } from '../../../tests/support/nodes/scripted-server.ts'
import { openEgress } from './egress.ts'

let bench: EgressBench
const open = () => {
  bench = openEgressBench()
  return bench
}
afterEach(() => bench.clear())

describe('a delivery', () => {
  test('arrives byte for byte, under the name of its URL', async () => {
    const { serveBytes, post } = open()
    const server = serveBytes(answerText('ok'))
    const { url } = named('hook.test', server)
    const headers = { 'content-type': 'application/json', 'x-service-signature': 'abc' }
    const outcome = await post({ url: `${url}in/box?team=1&x=%20` }, MIXED_TEXT, { headers })
    expect(outcome).toMatchObject({ status: 200, fault: null, bodyStart: 'ok' })
    const [request] = server.requests()
    expect(request?.head.split('\r\n')).toEqual([
      'POST /in/box?team=1&x=%20 HTTP/1.1',
      `host: ${new URL(url).host}`,
      'accept-encoding: identity',
      'content-type: application/json',
      'x-service-signature: abc',
      `content-length: ${Buffer.byteLength(MIXED_TEXT)}`,
    ])
    expect(request?.body.toString()).toBe(MIXED_TEXT)
  })

  test('arrives whole when it is large and the receiver slow', async () => {
    const { serve, post } = open()
    const server = serve({
      onOpen(peer) {
        peer.pause()
        setTimeout(peer.resume, 50)
      },
      onRequest: (peer) => peer.send(answerText('ok')),
    })
    const body = `${MIXED_TEXT}${'0123456789'.repeat(1_000_000)}`
    expect(await post(server, body)).toMatchObject({ status: 200 })
    expect(server.requests()[0]?.body.equals(Buffer.from(body))).toBe(true)
  })

  test('says itself where it goes and where it ends, whatever headers it is given', async () => {
    const { serveBytes, post } = open()
    const server = serveBytes(answerText('ok'))
    const headers = {
      Host: 'metadata.internal',
      'Content-Length': '1',
      'Transfer-Encoding': 'chunked',
      Connection: 'upgrade',
      Expect: '100-continue',
      'Accept-Encoding': 'gzip',
    }
    await post(server, 'four', { headers })
    expect(server.requests()[0]?.head.split('\r\n').slice(1)).toEqual([
      `host: ${new URL(server.url).host}`,
      'accept-encoding: identity',
      'content-length: 4',
    ])
  })

  test('does not go through a proxy of the environment', async () => {
    const { serveBytes, post } = open()
    const server = serveBytes(answerText('ok'))
    const proxies = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY']
    for (const name of proxies) process.env[name] = 'http://127.0.0.1:1'
    const outcome = await post(server)
    for (const name of proxies) delete process.env[name]
    expect(outcome.status).toBe(200)
  })

  test('finds its way by what the system knows of names', async () => {
    const { clock, serveBytes } = open()
    const server = serveBytes(answerText('ok'))
    const egress = openEgress({ clock, allowPrivate: true })
    const { url } = named('localhost', server)
    const outcome = await egress.post({
      url,
      teamId: 'team_a',
      body: '',
      headers: {},
      timeoutMs: TIMEOUT_MS,
    })
    egress.close()
    expect(outcome).toMatchObject({ status: 200, address: '127.0.0.1' })
  })

  test('tells how long each part of it took', async () => {
    const { clock, serve, post } = open()
    const server = serve({
      onRequest(peer) {
        clock.skip(70)
        peer.send(answerText('ok'))
      },
    })
    const { ms, address } = await post(server)
    expect(ms).toEqual({ lookup: 0, connect: 0, tls: 0, answer: 70, total: 70 })
    expect(address).toBe('127.0.0.1')
    expect(clock.timers()).toBe(1)
  })
})

describe('an answer', () => {
  test.each([
    ['OK', '200 OK', 200],
    ['no content', '204 No Content', 204],
    ['a failure of the receiver', '500 Internal Server Error', 500],
    ['gone', '410 Gone', 410],
    ['a status without a reason', '202', 202],
  ])('is taken as it is: %s', async (_title, line, status) => {
    const { serveBytes, post } = open()
    const server = serveBytes(`HTTP/1.1 ${line}\r\ncontent-length: 0\r\n\r\n`)
    expect(await post(server)).toMatchObject({ status, fault: null, retryAfter: null })
  })

  test.each([301, 302, 303, 307, 308])('of %d leads nowhere', async (status) => {
    const { serve, serveBytes, post, dialled } = open()
    const inside = serve({})
    const server = serveBytes(
      `HTTP/1.1 ${status} Elsewhere\r\nlocation: ${inside.url}\r\ncontent-length: 0\r\n\r\n`,
    )
    expect(await post(server)).toMatchObject({ status, fault: null })
    expect(dialled).toHaveLength(1)
    expect(inside.peers).toHaveLength(0)
  })

  test.each([
    ['of a declared length', answerText('hello')],
    ['in chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n'],
    ['after an interim one', `HTTP/1.1 100 Continue\r\n\r\n${answerText('hello')}`],
    ['after early hints', `HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${answerText('hello')}`],
  ])('is read: %s', async (_title, text) => {
    const { serve, post } = open()
    const server = serve({
      onRequest(peer) {
        for (const letter of text) peer.send(letter)
      },
    })
    expect(await post(server)).toMatchObject({ status: 200, fault: null, bodyStart: 'hello' })
  })

  test.each(['HTTP/1.0 200 OK', 'HTTP/1.1 200 OK'])('%s may last until the close', async (line) => {
    const { serve, post } = open()
    const server = serve({
      onRequest(peer) {
        peer.send(`${line}\r\n\r\nhello`)
        peer.end()
      },
    })
    expect(await post(server)).toMatchObject({ status: 200, fault: null, bodyStart: 'hello' })
  })

  test('is not unpacked', async () => {
    const { serveBytes, post } = open()
    const server = serveBytes(answerText('(packed)', 'content-encoding: gzip\r\n'))
    expect(await post(server)).toMatchObject({ status: 200, bodyStart: '(packed)' })
  })

  test('is kept up to its first 4 KiB, and never ends within a character', async () => {
    const { serveBytes, post } = open()
    const server = serveBytes(answerText(`xx${'\u20ac'.repeat(4000)}`))
    const { status, bodyStart } = await post(server)
    expect(status).toBe(200)
    expect(bodyStart).toBe(`xx${'\u20ac'.repeat(Math.floor((4096 - 2) / 3))}`)
  })

  test('may hold any bytes, and all that is kept of them is text', async () => {
    const { serveBytes, post } = open()
    const bytes = Buffer.from([0x61, 0x00, 0xff, 0xc3, 0x28, 0x62])
    const server = serveBytes('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n', bytes)
    expect((await post(server)).bodyStart).toBe('a\ufffd\ufffd\ufffd(b')
  })

  test.each([
    ['seconds', '120', '120'],
    ['a date', 'Wed, 21 Oct 2026 07:28:00 GMT', 'Wed, 21 Oct 2026 07:28:00 GMT'],
    ['more than anybody reads', '1'.repeat(65), null],
    ['control characters', '12\u0000', null],
    ['nothing', '', null],
  ])('says when to come again: %s', async (_title, sent, retryAfter) => {
    const { serveBytes, post } = open()
    const head = `HTTP/1.1 429 Too Many Requests\r\nretry-after: ${sent}\r\ncontent-length: 0`
    const server = serveBytes(`${head}\r\n\r\n`)
    expect(await post(server)).toMatchObject({ status: 429, retryAfter })
  })
})
