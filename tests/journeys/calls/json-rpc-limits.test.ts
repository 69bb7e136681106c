// Runs on both stores.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startFakeNode } from '../../support/nodes/fake-node.ts'
import { hangUpAfter, sendRaw } from '../../support/nodes/raw-http.ts'
import {
  type Answer,
  rpc,
  startHeadgate,
  type TestHeadgate,
  until,
} from '../../support/product/headgate.ts'
import { expectRpcAnswer } from '../../support/product/rpc-answer.ts'

const BODY_BYTES_MAX = 2.5 * 1024 * 1024
const CALL = '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice","params":[]}'
const REPLY = { jsonrpc: '2.0', id: 1, result: '0x3b9aca00' }

const node = startFakeNode()
let headgate: TestHeadgate
let path: string

beforeAll(async () => {
  headgate = await startHeadgate({ nodes: [node] })
  path = `/eth-mainnet/v2/${headgate.appKey}`
})

afterAll(async () => {
  await headgate.stop()
  node.stop()
})

type SentBody = string | Uint8Array | ReadableStream

/** POSTs bytes with exactly the given headers. */
async function post(body: SentBody, headers: Record<string, string> = {}): Promise<Answer> {
  // Bytes, because a string would bring a content-type of its own.
  const sent = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const response = await fetch(`${headgate.url}${path}`, { method: 'POST', headers, body: sent })
  const text = await response.text()
  const answer = { status: response.status, headers: response.headers, text, json: null }
  return { ...answer, json: JSON.parse(text) }
}

describe('the content type', () => {
  test.each([
    ['absent', {}],
    ['application/json', { 'content-type': 'application/json' }],
    ['with a charset', { 'content-type': 'application/json; charset=utf-8' }],
    ['in capitals', { 'content-type': 'Application/JSON' }],
    ['of a JSON dialect', { 'content-type': 'application/json-rpc+json' }],
  ])('%s is served', async (_what, headers) => {
    const answer = await post(CALL, headers as Record<string, string>)
    expectRpcAnswer(answer)
    expect([answer.status, answer.json]).toEqual([200, REPLY])
  })

  test.each([
    'text/plain',
    'text/plain;charset=UTF-8',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'text/html, application/json',
    '*/*',
  ])('%s is refused with 415', async (type) => {
    const answer = await post(CALL, { 'content-type': type })
    expectRpcAnswer(answer)
    expect([answer.status, answer.json.id, answer.json.error.code]).toEqual([415, null, -32600])
  })
})

/** A call padded to a size in bytes, with characters that take two. */
function callOfBytes(bytes: number): Uint8Array {
  const before = '{"jsonrpc":"2.0","id":1,"method":"test_getSize","params":["'
  const rest = bytes - before.length - 3
  const text = `${before}${'é'.repeat(Math.floor(rest / 2))}${rest % 2 ? 'x' : ''}"]}`
  const encoded = new TextEncoder().encode(text)
  expect(encoded.byteLength).toBe(bytes)
  return encoded
}

function chunked(bytes: Uint8Array): ReadableStream {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.subarray(at, at + 65_536))
      at += 65_536
    },
  })
}

describe('the body', () => {
  const sizes: [what: string, wrap: (bytes: Uint8Array) => SentBody][] = [
    ['with its length declared', (bytes) => bytes],
    ['in chunks of unknown length', chunked],
  ]

  test.each(sizes)('of exactly 2.5 MiB is served, %s', async (_what, wrap) => {
    node.answers.test_getSize = (params: unknown[]) => String(params[0]).length
    const answer = await post(wrap(callOfBytes(BODY_BYTES_MAX)))
    expectRpcAnswer(answer)
    expect(answer.status).toBe(200)
    expect(answer.json.result).toBeGreaterThan(BODY_BYTES_MAX / 2 - 100)
  })

  test.each(sizes)('one byte longer is refused with 413, %s', async (_what, wrap) => {
    const answer = await post(wrap(callOfBytes(BODY_BYTES_MAX + 1)))
    expectRpcAnswer(answer)
    expect([answer.status, answer.json.id, answer.json.error.code]).toEqual([413, null, -32600])
  })

  test('of a declared length beyond it is refused before it is sent', async () => {
    const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n`
    const { status, body } = await sendRaw(headgate.url, `${head}content-length: 3000000\r\n\r\n{`)
    expect(status).toBe(413)
    expect(JSON.parse(body).error.code).toBe(-32600)
  })

  test.each([
    ['with its length declared', 'content-length: 100\r\n\r\n{"jsonrpc"'],
    ['in chunks', 'transfer-encoding: chunked\r\n\r\n5\r\n{"jso\r\n'],
    ['in chunks that are none', 'transfer-encoding: chunked\r\n\r\nzz\r\n{"jso\r\n'],
  ])('that breaks off, %s, is no fault of ours', async (_what, rest) => {
    await headgate.running.drivers.telemetry.flush()
    const before = headgate.logText().length
    await hangUpAfter(headgate.url, `POST ${path} HTTP/1.1\r\nhost: x\r\n${rest}`)
    const logged = () => headgate.logText().slice(before)
    await until(() => logged() !== '', 'the end of the request was noticed')
    expect(logged()).toContain('"status":400')
    expect(logged()).not.toContain('"event":"bug"')
  })
})

/** A call whose deepest value lies at the given depth. */
function nested(depth: number, open = '[', close = ']'): string {
  const inner = depth - 1
  return CALL.replace('[]', `[${open.repeat(inner - 1)}${close.repeat(inner - 1)}]`)
}

describe('the depth', () => {
  test('of 64 levels is served', async () => {
    const { status } = await post(nested(64))
    expect(status).toBe(200)
  })

  test.each([
    ['of 65 levels', nested(65)],
    ['of 65 levels of objects', nested(64, '{"a":', '}').replace('{"a":}', '{"a":{}}')],
    ['of a hundred thousand levels', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['of a hundred thousand levels, never closed', '[{"a":'.repeat(100_000)],
  ])('%s is refused', async (_what, text) => {
    const answer = await post(text)
    expectRpcAnswer(answer)
    expect([answer.status, answer.json.id, answer.json.error.code]).toEqual([400, null, -32600])
  })

  test('counts no bracket inside a string', async () => {
    const { status, json } = await post(CALL.replace('[]', `["${'[{\\"'.repeat(500)}"]`))
    expect([status, json]).toEqual([200, REPLY])
  })
})

describe('a batch', () => {
  test.each([
    ['empty', '[]'],
    ['empty, with white space', ' \r\n\t[ ] '],
  ])('%s is one error object', async (_what, text) => {
    const answer = await post(text)
    expectRpcAnswer(answer)
    expect([answer.status, answer.json.id, answer.json.error.code]).toEqual([400, null, -32600])
  })

  test('of 1000 members is served, in order', async () => {
    const ids = Array.from({ length: 1000 }, (_, at) => `m${at}`)
    const answer = await headgate.post(ids.map((id) => rpc('eth_gasPrice', [], id)))
    expectRpcAnswer(answer)
    expect(answer.status).toBe(200)
    expect(answer.json.map(({ id }: { id: string }) => id)).toEqual(ids)
    expect(answer.headers.get('x-headgate-cu')).toBe('20000')
  })

  test('of 1001 members is refused with one error object', async () => {
    const answer = await headgate.post(Array(1001).fill(rpc('eth_gasPrice')))
    expectRpcAnswer(answer)
    expect([answer.status, answer.json.id, answer.json.error.code]).toEqual([413, null, -32600])
  })

  test('of one member is answered with a list', async () => {
    const { status, json } = await post(`\n\t [${CALL}]`)
    expect([status, json]).toEqual([200, [REPLY]])
  })

  test('answers bad members one by one, with HTTP 200, even when all are bad', async () => {
    const members = '1,null,"x",[],{},{"jsonrpc":"2.0","id":5,"method":"a","params":{}}'
    const answer = await post(`[${members}]`)
    expectRpcAnswer(answer)
    expect(answer.status).toBe(200)
    const codes = answer.json.map((one: { error: { code: number } }) => one.error.code)
    expect(codes).toEqual([-32600, -32600, -32600, -32600, -32600, -32602])
    expect(answer.json[5].id).toBe(5)
    expect(answer.headers.get('x-headgate-cu')).toBe('0')
  })

  test('costs the sum of what its members cost', async () => {
    const members = [
      rpc('eth_chainId', [], 1),
      rpc('eth_blockNumber', [], 2),
      rpc('eth_getBalance', ['0x00', 'latest'], 3),
      { jsonrpc: '2.0', id: 4 },
      rpc('eth_nothingSuch', [], 5),
    ]
    const answer = await headgate.post(members)
    expectRpcAnswer(answer)
    expect(answer.headers.get('x-headgate-cu')).toBe('30')
    expect(answer.json[4].error.code).toBe(-32601)
  })

  test('may repeat an id, and answers as often', async () => {
    const { json } = await headgate.post([rpc('eth_gasPrice'), rpc('eth_chainId')])
    expect(json.map(({ result }: { result: string }) => result)).toEqual(['0x3b9aca00', '0x1'])
  })

  test('runs side by side: a slow member neither holds up nor overtakes the others', async () => {
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    node.answers.test_getSlow = 'slow'
    node.answers.test_getFast = 'fast'
    node.misbehave = (method) => {
      if (method === 'test_getFast') release()
      return method === 'test_getSlow' ? released.then(() => null) : null
    }
    const asking = headgate.post([
      rpc('test_getSlow', [], 'a'),
      rpc('eth_gasPrice', [], 'b'),
      rpc('test_getFast', [], 'c'),
    ])
    const { json } = await asking
    node.misbehave = null
    expect(json).toEqual([
      { jsonrpc: '2.0', id: 'a', result: 'slow' },
      { jsonrpc: '2.0', id: 'b', result: '0x3b9aca00' },
      { jsonrpc: '2.0', id: 'c', result: 'fast' },
    ])
  })

  test('may ask the same twice, even for an answer too big to hold', async () => {
    const big = `0x${'ab'.repeat(200_000)}`
    node.answers.eth_call = big
    const call = rpc('eth_call', [{ to: '0x00', data: '0x' }, 'latest'])
    const { json } = await headgate.post([call, { ...call, id: 2 }])
    expect(json).toEqual([
      { jsonrpc: '2.0', id: 1, result: big },
      { jsonrpc: '2.0', id: 2, result: big },
    ])
  })

  test('with a byte order mark before it is served, in chunks or not', async () => {
    const text = new TextEncoder().encode(`\ufeff[${CALL}]`)
    expect((await post(text)).json).toEqual([REPLY])
    expect((await post(chunked(text))).json).toEqual([REPLY])
  })

  test('is served whether or not the node takes batches', async () => {
    node.supportsBatch = false
    Object.assign(node.answers, { eth_syncing: false, net_listening: true })
    const asked = node.callsOf('eth_syncing')
    const { json } = await headgate.post([rpc('eth_syncing', [], 1), rpc('net_listening', [], 2)])
    node.supportsBatch = true
    expect(json.map(({ result }: { result: unknown }) => result)).toEqual([false, true])
    // Once in the batch that was refused, once alone.
    expect(node.callsOf('eth_syncing')).toBe(asked + 2)
  })
})
