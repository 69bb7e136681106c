// Runs on both stores.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startFakeNode } from '../../support/nodes/fake-node.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'
import { openWsClient, type WsClient } from '../../support/product/ws-client.ts'

const node = startFakeNode()
let headgate: TestHeadgate
let address: string
let client: WsClient

beforeAll(async () => {
  node.answers.eth_getBalance = '0x123456789abcdef0123456789abcdef'
  node.answers.eth_getCode = `0x${'ab'.repeat(1_500_000)}`
  headgate = await startHeadgate({ nodes: [node] })
  address = `${headgate.url}/eth-mainnet/v2/${headgate.appKey}`
  client = await openWsClient(address)
})

afterAll(async () => {
  await headgate.stop()
  node.stop()
})

/** The next messages that a frame brings. */
async function answersTo(frame: unknown, count = 1): Promise<unknown[]> {
  const before = client.messages.length
  client.send(frame)
  await until(() => client.messages.length >= before + count, 'the frame is answered')
  return client.messages.slice(before)
}

const upgrade = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${headgate.url}${path}`, {
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      ...headers,
    },
  })

describe('calls over WebSocket', () => {
  test('a call is answered as over HTTP, under its own id', async () => {
    const params = [`0x${'1'.repeat(40)}`, 'latest']
    const frame = `{"jsonrpc":"2.0","id":12345678901234567890123,"method":"eth_getBalance","params":${JSON.stringify(params)}}`
    const raw = await new Promise<string>((resolve) => {
      client.socket.addEventListener('message', ({ data }) => resolve(String(data)), { once: true })
      client.send(frame)
    })
    expect(raw).toBe(
      '{"jsonrpc":"2.0","id":12345678901234567890123,"result":"0x123456789abcdef0123456789abcdef"}',
    )
  })

  test('the host names the network too, and the key may come as a bearer', async () => {
    const { port } = new URL(headgate.url)
    const options = { headers: { authorization: `Bearer ${headgate.appKey}` } }
    const socket = new WebSocket(`ws://eth-mainnet.localhost:${port}/v2`, options as never)
    const answer = new Promise((resolve) => {
      socket.onmessage = ({ data }) => resolve(JSON.parse(String(data)))
      socket.onopen = () => socket.send(JSON.stringify(rpc('eth_chainId')))
      socket.onerror = resolve
    })
    expect(await answer).toEqual({ jsonrpc: '2.0', id: 1, result: '0x1' })
    socket.close()
  })

  test('a batch is answered in its order, a bad member by its own error', async () => {
    const [answer] = await answersTo([
      rpc('eth_chainId', [], 'a'),
      { id: 7 },
      rpc('eth_blockNumber', [], 2),
    ])
    expect(answer).toEqual([
      { jsonrpc: '2.0', id: 'a', result: '0x1' },
      {
        jsonrpc: '2.0',
        id: 7,
        error: { code: -32600, message: 'Invalid request: jsonrpc must be "2.0".' },
      },
      { jsonrpc: '2.0', id: 2, result: '0x3e8' },
    ])
  })

  test('an answer of megabytes comes whole, and others behind it', async () => {
    const frames = [rpc('eth_getCode', ['0x1', 'latest'], 'large'), rpc('eth_chainId', [], 'small')]
    const before = client.messages.length
    for (const frame of frames) client.send(frame)
    await until(() => client.messages.length === before + 2, 'both are answered')
    const large = client.messages.find(({ id }) => id === 'large')
    expect(large.result.length).toBe(3_000_002)
  })

  test('a hundred calls at once are all answered', async () => {
    const before = client.messages.length
    for (let id = 0; id < 100; id++) client.send(rpc('eth_getBalance', [`0x${id}`], id))
    await until(() => client.messages.length === before + 100, 'all are answered')
    const ids = client.messages.slice(before).map(({ id }) => id)
    expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, id) => id))
  })

  test('calls are priced, billed and logged as over HTTP', async () => {
    const usage = async () => {
      const { json } = await headgate.api('GET', '/api/usage/summary')
      return JSON.stringify(json)
    }
    const before = await usage()
    await client.call('eth_getBalance', ['0xff', 'latest'])
    await until(async () => (await usage()) !== before, 'the call is in the ledger')
    const line = /"event":"rpc",.*"method":"eth_getBalance".*"cu":20/
    await until(() => line.test(headgate.logText()), 'the call is in the log')
  })
})

describe('hostile frames', () => {
  const refusal = (code: number, message: string, id: unknown = null) => ({
    jsonrpc: '2.0',
    id,
    error: { code, message },
  })

  test.each([
    ['garbage', '{"jsonrpc', refusal(-32700, 'Parse error: the body is not valid JSON.')],
    ['nothing', '', refusal(-32700, 'Parse error: the body is not valid JSON.')],
    ['an empty batch', '[]', refusal(-32600, 'Invalid request: the batch is empty.')],
    ['a number', '5', refusal(-32600, 'Invalid request: a call must be a JSON object.')],
    ['deep JSON', '['.repeat(100_000), refusal(-32600, 'Request is nested deeper than 64 levels.')],
    [
      'a batch of 101',
      JSON.stringify(Array.from({ length: 101 }, (_, id) => rpc('eth_chainId', [], id))),
      refusal(-32600, 'A batch may hold at most 100 calls.'),
    ],
    [
      'params that are no list',
      '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":{}}',
      refusal(-32602, 'Invalid params: params must be an array.', 1),
    ],
    [
      'a method that controls a node',
      JSON.stringify(rpc('admin_peers', [], 9)),
      refusal(-32601, 'admin_peers is not served here.', 9),
    ],
  ])('%s is answered with an error, and the connection lives on', async (_, frame, expected) => {
    expect(await answersTo(frame)).toEqual([expected])
    expect((await client.call('eth_chainId')).result).toBe('0x1')
  })

  test('a frame over 2.5 MiB closes with 1009', async () => {
    const large = await openWsClient(address)
    large.send('x'.repeat(2.5 * 2 ** 20 + 1))
    await until(() => large.closed !== null, 'it is closed')
    expect(large.closed?.code).toBe(1009)
  })

  test('a frame of just 2.5 MiB is taken', async () => {
    const padded = JSON.stringify(rpc('eth_chainId')).padEnd(2.5 * 2 ** 20)
    expect(await answersTo(padded)).toEqual([{ jsonrpc: '2.0', id: 1, result: '0x1' }])
  })
})

describe('the upgrade', () => {
  const body = (message: string) => ({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32600, message },
  })

  test.each([
    ['no key', '/eth-mainnet/v2', 401, body('Must be authenticated!')],
    ['an unknown key', '/eth-mainnet/v2/nobody', 401, body('Must be authenticated!')],
    [
      'an unknown network',
      '/nowhere/v2/KEY',
      404,
      body('There is no such network here; GET /api/networks lists them, with a token.'),
    ],
  ])('%s is refused with the body of a call', async (_, path, status, expected) => {
    const answer = await upgrade(path.replace('KEY', headgate.appKey))
    expect(answer.status).toBe(status)
    expect(await answer.json()).toEqual(expected)
  })

  test('half a handshake is no WebSocket', async () => {
    const path = `/eth-mainnet/v2/${headgate.appKey}`
    const answer = await upgrade(path, { 'sec-websocket-key': '' })
    expect([
      answer.status,
      ((await answer.json()) as { error: { message: string } }).error.message,
    ]).toEqual([400, 'This is no WebSocket handshake.'])
  })

  test('no key is ever logged', async () => {
    const line = '"event":"websocket_opened"'
    await until(() => headgate.logText().includes(line), 'a connection is in the log')
    expect(headgate.logText()).not.toContain(headgate.appKey)
  })
})

test('over HTTP a subscription is refused, for nothing', async () => {
  const { status, json, headers } = await headgate.post(rpc('eth_subscribe', ['newHeads']))
  expect([status, json.error, headers.get('x-headgate-cu')]).toEqual([
    200,
    { code: -32601, message: 'eth_subscribe is served over WebSocket alone.' },
    '0',
  ])
})
