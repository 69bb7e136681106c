import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startFakeNode } from '../../support/nodes/fake-node.ts'
import { dripAfter, sendRaw } from '../../support/nodes/raw-http.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'

const node = startFakeNode()
let headgate: TestHeadgate

beforeAll(async () => {
  const env = { HEADGATE_LIMITS_BODY_MS: '1000', HEADGATE_LIMITS_BODIES_BYTES_MAX: '8388608' }
  headgate = await startHeadgate({ nodes: [node], env })
})

afterAll(async () => {
  await headgate.stop()
  node.stop()
})

const ask = (target: string, more = '') =>
  sendRaw(headgate.url, `GET ${target} HTTP/1.1\r\nhost: a\r\n${more}connection: close\r\n\r\n`)

const post = (path: string, headers: string, body: string | Uint8Array) =>
  sendRaw(headgate.url, `POST ${path} HTTP/1.1\r\nhost: a\r\n${headers}\r\n\r\n`, body)

const rpcPath = () => `/eth-mainnet/v2/${headgate.appKey}`

describe('a path', () => {
  test.each([
    '/x/../metrics',
    '/x/%2e%2e/metrics',
    '/x/%2E./metrics',
    '/x/..\\metrics',
    '/x\\..\\metrics',
    '/api/../metrics',
    '/api/./team',
    '/api/x/../team',
    '/./docs',
    '/docs/..',
    '/docs/files/../api',
    '/docs/./LICENSE',
    '/docs/files/%2e%2e',
    '/docs\\files\\LICENSE',
    '/..',
    '/%2e',
    '/x/../eth-mainnet/v2/demo',
    '/x/../eth-mainnet/v2/demo/',
    'http://a/../metrics',
    '/./api/team',
    '/x/../api/team',
    '/api\\team',
    '/./v2/demo',
    '/v2/./demo',
    '/api/%',
  ])('%s is refused, not resolved', async (target) => {
    expect((await ask(target)).status).toBe(400)
  })

  test.each([
    ['/metrics', 200],
    ['/metrics?from=/../x', 200],
    ['/', 200],
    ['/docs', 200],
    ['/healthz', 200],
    ['/api/openapi.json', 200],
    ['/eth-mainnet/v2/demo/', 405],
    ['/docs/', 404],
    ['/docs/api', 200],
    ['/docs/reference', 200],
    ['/docs/files/LICENSE', 200],
    ['/docs/files/deploy/systemd/headgate.service', 200],
    ['/docs/nothing', 404],
    ['/docs/files/nothing', 404],
    ['/docs/files/', 404],
    ['//metrics', 404],
    ['/a/b/c/d/e/f/g/h/i', 404],
    ['/api//team', 404],
    ['/api/', 404],
    ['/a/../b/c/d/e/f/g/h/i/../../../../../../../../metrics', 404],
    ['/a/b/c/d/e/f/../../../../../../eth-mainnet/v2/demo', 404],
    ['//eth-mainnet/v2', 404],
    ['/%61pi/team', 404],
    ['/eth-mainnet/v2', 405],
    ['/v2/demo', 405],
    ['/api/apps/a%2Fb', 401],
  ])('%s is answered with %d', async (target, status) => {
    expect((await ask(target)).status).toBe(status)
  })

  test('with two Host headers is refused', async () => {
    expect((await ask('/healthz', 'host: b\r\n')).status).toBe(400)
  })
})

test('no answer may be taken for another type than it says', async () => {
  const call = await headgate.post(rpc('eth_chainId'))
  const pages = await Promise.all(
    ['/metrics', '/healthz', '/readyz', '/', '/docs', '/api/openapi.json', '/nothing'].map((path) =>
      fetch(`${headgate.url}${path}`),
    ),
  )
  for (const { headers } of [call, ...pages]) {
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  }
})

describe('a page', () => {
  test.each(['/', '/docs', '/api/openapi.json'])(
    '%s is sent once to who keeps it',
    async (path) => {
      const first = await fetch(`${headgate.url}${path}`)
      const text = await first.text()
      const etag = first.headers.get('etag') ?? ''
      expect(etag).toMatch(/^"[0-9a-z]+"$/)
      for (const encoding of ['zstd', 'gzip', 'identity']) {
        const headers = { 'if-none-match': `W/"other", ${etag}`, 'accept-encoding': encoding }
        const again = await fetch(`${headgate.url}${path}`, { headers })
        expect([again.status, await again.text()]).toEqual([304, ''])
      }
      const other = await fetch(`${headgate.url}${path}`, { headers: { 'if-none-match': '"0"' } })
      expect([other.status, await other.text()]).toEqual([200, text])
    },
  )

  test.each([
    ['gzip', (bytes: Uint8Array<ArrayBuffer>) => Bun.gunzipSync(bytes)],
    ['zstd', (bytes: Uint8Array<ArrayBuffer>) => Bun.zstdDecompressSync(bytes)],
  ])('is compressed with %s for who takes that', async (coding, decompress) => {
    const url = `${headgate.url}/docs`
    const headers = { 'accept-encoding': coding }
    const compressed = await fetch(url, { headers, decompress: false } as RequestInit)
    expect(compressed.headers.get('content-encoding')).toBe(coding)
    expect(compressed.headers.get('vary')).toBe('accept-encoding')
    const plain = await fetch(url, { headers: { 'accept-encoding': 'identity' } })
    expect(plain.headers.get('content-encoding')).toBeNull()
    const uncompressed = decompress(new Uint8Array(await compressed.arrayBuffer()))
    expect(new TextDecoder().decode(uncompressed)).toBe(await plain.text())
  })
})

describe('a body', () => {
  test.each([
    ['of a declared length', () => rpcPath(), 'content-length: 100000', '{'],
    ['in chunks', () => rpcPath(), 'transfer-encoding: chunked', '1\r\n{\r\n'],
    ['of a management call', () => '/api/apps', 'content-length: 100', '{'],
  ])('%s that does not come is given up with 408', async (_what, path, headers, start) => {
    const token = `x-service-token: ${headgate.teamToken}`
    const answer = await post(path(), `${headers}\r\n${token}`, start)
    expect(answer.status).toBe(408)
    expect(answer.head.toLowerCase()).toContain('connection: close')
    expect(answer.body).toContain('took too long')
  })

  test('of a call, small and too slow, is cut with its connection, drop by drop or not', async () => {
    const head = `POST ${rpcPath()} HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\n{`
    const answers = await Promise.all([sendRaw(headgate.url, head), dripAfter(headgate.url, head)])
    expect(answers.map(({ status }) => status)).toEqual([0, 0])
    expect((await headgate.post(rpc('eth_chainId'))).status).toBe(200)
  })

  test('of the demo key is not even read when its address has used up its rate', async () => {
    const env = { HEADGATE_DEMO_KEY: 'true' }
    const shown = await startHeadgate({ nodes: [node], env })
    const demo = { key: 'demo' }
    await until(async () => (await shown.post(rpc('eth_getLogs'), demo)).status === 429, 'no room')
    const head = 'POST /eth-mainnet/v2/demo HTTP/1.1\r\nhost: a\r\nconnection: close\r\n'
    // Only the beginning of its body comes: a server that waited for the rest would say 408.
    const large = await sendRaw(shown.url, `${head}content-length: 100000\r\n\r\n{`)
    expect(large.status).toBe(429)
    // A request that costs nothing is answered all the same.
    expect((await shown.post(rpc('eth_chainId'), demo)).status).toBe(200)
    await shown.stop()
  })

  test('is refused while others hold all the room there is, and taken again afterwards', async () => {
    const held = [1, 2, 3].map(() => post(rpcPath(), 'content-length: 2600000', '{'))
    const call = JSON.stringify(rpc('eth_chainId', ['a'.repeat(2_500_000)]))
    const length = `content-length: ${call.length}`
    await until(async () => {
      const answer = await post(rpcPath(), `${length}\r\nconnection: close`, call)
      if (answer.status === 503) expect(answer.body).toContain('"code":-32603')
      return answer.status === 503
    }, 'there is no room')
    // Small ones are served all the while.
    expect((await headgate.post(rpc('eth_chainId'))).status).toBe(200)
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([408, 408, 408])
    const answer = await post(rpcPath(), `${length}\r\nconnection: close`, call)
    expect(answer.status).toBe(200)
  })

  test.each([
    ['bytes that UTF-8 never has', [0xff, 0xfe]],
    ['a lone continuation byte', [0x80]],
    ['three bytes of a character of four', [0xf0, 0x9f, 0x98]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
  ])('with %s is not JSON', async (_what, bytes) => {
    const start = Buffer.from('{"jsonrpc":"2.0","id":"')
    const end = Buffer.from('","method":"eth_chainId"}')
    const body = Buffer.concat([start, Buffer.from(bytes), end])
    const close = 'connection: close'
    const call = await post(rpcPath(), `content-length: ${body.length}\r\n${close}`, body)
    expect(call.status).toBe(400)
    expect(JSON.parse(call.body)).toMatchObject({ id: null, error: { code: -32700 } })
    const token = `x-service-token: ${headgate.teamToken}`
    const headers = `content-length: ${body.length}\r\n${token}\r\n${close}`
    const managed = await post('/api/apps', headers, body)
    expect([managed.status, JSON.parse(managed.body).name]).toEqual([400, 'ValidationError'])
  })

  test('may have the replacement character in it', async () => {
    const call = await headgate.post(rpc('eth_chainId', [], '\uFFFD' as never))
    expect([call.status, call.json.id]).toEqual([200, '\uFFFD'])
  })
})

test('throttled members of a batch say when to ask again', async () => {
  const small = await startHeadgate({
    nodes: [node],
    env: { HEADGATE_TIERS_ENTERPRISE_CU_PER_SECOND: '10' },
  })
  const calls = Array.from({ length: 20 }, (_, id) => rpc('eth_gasPrice', [], id))
  const { status, headers, json } = await small.post(calls)
  expect(status).toBe(200)
  // Members are let in as they come, so that any of them may be late.
  type Member = { error?: { code: number } }
  expect(json.map(({ error }: Member) => error?.code)).toContain(429)
  expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  const calm = await small.post([rpc('eth_chainId')])
  expect(calm.headers.get('retry-after')).toBeNull()
  await small.stop()
})

describe('a process without the role', () => {
  test('gateway answers no call, and still its probes', async () => {
    const other = await startHeadgate({ nodes: [node], env: { HEADGATE_ROLES: 'api' } })
    const { status, json } = await other.post(rpc('eth_chainId'))
    expect([status, json.error.code]).toEqual([404, -32600])
    expect((await other.api('GET', '/api/team')).status).toBe(200)
    expect((await fetch(`${other.url}/healthz`)).status).toBe(200)
    expect((await fetch(`${other.url}/metrics`)).status).toBe(200)
    await other.stop()
  })

  test('api has neither management calls nor pages', async () => {
    const other = await startHeadgate({ nodes: [node], env: { HEADGATE_ROLES: 'gateway' } })
    expect((await other.post(rpc('eth_chainId'))).status).toBe(200)
    const { status, json } = await other.api('GET', '/api/team')
    expect([status, json.name]).toEqual([404, 'NotFound'])
    for (const path of ['/', '/docs', '/api/openapi.json']) {
      expect((await fetch(`${other.url}${path}`)).status).toBe(404)
    }
    expect((await fetch(`${other.url}/readyz`)).status).toBe(200)
    expect((await fetch(`${other.url}/metrics`)).status).toBe(200)
    await other.stop()
  })
})

test('metrics with an address of their own are nowhere else', async () => {
  const other = await startHeadgate({
    nodes: [node],
    env: { HEADGATE_METRICS_LISTEN: '127.0.0.1:0' },
  })
  const port = () => /"event":"metrics_listening".*?"port":(\d+)/.exec(other.logText())?.[1]
  await until(() => port() !== undefined, 'the log says where metrics are')
  const url = `http://127.0.0.1:${port()}`
  expect(await (await fetch(`${url}/metrics`)).text()).toContain('headgate_network_head')
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  expect((await fetch(`${url}/docs`)).status).toBe(404)
  expect((await fetch(`${url}/eth-mainnet/v2/demo`, { method: 'POST' })).status).toBe(404)
  expect((await fetch(`${other.url}/metrics`)).status).toBe(404)
  await other.stop()
})
