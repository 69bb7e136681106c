// Runs on both stores.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { type SharedChain, startSharedChain } from '../../support/blocks/shared-chain.ts'
import { startWsNode, type WsNode } from '../../support/nodes/ws-node.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'
import { openWsClient, type WsClient } from '../../support/product/ws-client.ts'

const HASH = `0x${'ab'.repeat(32)}`

let chain: SharedChain
let upstream: WsNode
let headgate: TestHeadgate

beforeAll(async () => {
  chain = startSharedChain(7, ['a'])
  upstream = startWsNode(chain.nodes[0] as never)
  headgate = await startHeadgate({
    nodes: chain.nodes,
    upstreams: [{ ws: upstream.url }],
    env: {
      HEADGATE_LIMITS_SUBSCRIPTIONS_MAX: '3',
      HEADGATE_LIMITS_APP_WEB_SOCKETS_MAX: '2',
      HEADGATE_TIERS_FREE_MONTHLY_CU: '1000',
    },
  })
})

afterAll(async () => {
  await headgate.stop()
  upstream.stop()
  chain.stop()
})

async function newApp(): Promise<{ id: string; key: string }> {
  const body = { name: 'another', networks: ['ETH_MAINNET'] }
  return (await headgate.api('POST', '/api/apps', body)).json.data
}

const open = (key: string) => openWsClient(`${headgate.url}/eth-mainnet/v2/${key}`)

const closed = (client: WsClient) =>
  until(() => client.closed !== null, 'the client is closed').then(() => client.closed)

describe('subscribing', () => {
  let client: WsClient
  beforeAll(async () => {
    client = await open((await newApp()).key)
  })

  test.each([
    [[], 'Invalid params: params[0] must be newHeads, logs or newPendingTransactions.'],
    [['heads'], 'Invalid params: params[0] must be newHeads, logs or newPendingTransactions.'],
    [['logs', 5], 'Invalid params: params[1] must be an object.'],
    [['logs', { address: '0x1' }], 'Invalid params: address is no address.'],
    [['logs', { address: [HASH] }], 'Invalid params: address[0] is no address.'],
    [['logs', { topics: HASH }], 'Invalid params: topics must be an array.'],
    [['logs', { topics: ['0x1'] }], 'Invalid params: topics[0] is no topic.'],
    [['logs', { topics: [null, [HASH, 5]] }], 'Invalid params: topics[1][1] is no topic.'],
    [
      ['logs', { topics: [null, null, null, null, null] }],
      'Invalid params: topics may have at most 4 positions.',
    ],
    [['logs', { blockHash: HASH }], 'Invalid params: blockHash is not for subscriptions.'],
    [['newPendingTransactions', 1], 'Invalid params: params[1] must be true or false.'],
  ])('with %j is refused, and says why', async (params, message) => {
    expect((await client.call('eth_subscribe', params)).error).toEqual({ code: -32602, message })
  })

  test('is limited by connection, and what is given back counts no more', async () => {
    const subscribe = () => client.call('eth_subscribe', ['newHeads'])
    const ids = [await subscribe(), await subscribe(), await subscribe()].map((it) => it.result)
    expect(new Set(ids).size).toBe(3)
    expect((await subscribe()).error).toEqual({
      code: -32600,
      message: 'This connection has 3 subscriptions, which is its limit.',
    })
    expect((await client.call('eth_unsubscribe', [ids[0]])).result).toBe(true)
    expect((await client.call('eth_unsubscribe', [ids[0]])).error).toEqual({
      code: -32000,
      message: 'subscription not found',
    })
    expect((await subscribe()).result).toStartWith('0x')
    await client.close()
  })

  test('connections are limited by app', async () => {
    const { key } = await newApp()
    const clients = [await open(key), await open(key)]
    await expect(open(key)).rejects.toThrow()
    await clients[0]?.close()
    await until(
      async () =>
        (await open(key).then(
          (it) => clients.push(it),
          () => 0,
        )) > 0,
      'a place',
    )
    for (const one of clients.slice(1)) await one.close()
  })

  test('in a batch, notifications come after its answer', async () => {
    const { key } = await newApp()
    const fresh = await open(key)
    fresh.send([rpc('eth_subscribe', ['newHeads'], 1), rpc('eth_chainId', [], 2)])
    await until(() => fresh.messages.length === 1, 'the batch is answered')
    chain.mine()
    await until(() => fresh.notifications().length === 1, 'the next block is told')
    expect(fresh.messages[0]).toMatchObject([{ id: 1 }, { id: 2, result: '0x1' }])
    expect(fresh.notifications()[0].hash).toBe(chain.tip().hash)
    await fresh.close()
  })
})

test('notifications are billed by their bytes, beside 10 CU for the call', async () => {
  const { id, key } = await newApp()
  const client = await open(key)
  const frames: string[] = []
  client.socket.addEventListener('message', ({ data }) => frames.push(String(data)))
  await client.call('eth_subscribe', ['newHeads'])
  chain.mine()
  await until(() => client.notifications().length === 1, 'the block is told')
  await client.close()
  const bytes = Buffer.byteLength(frames.at(-1) ?? '')
  const usageBy = async (group: string) => {
    const path = `/api/usage/time-series?bucket=day&group_by=${group}`
    return (await headgate.api('GET', path)).json.data as { group: string; cu: number }[]
  }
  const ofApp = async () => (await usageBy('app')).find(({ group }) => group === id)?.cu
  await until(async () => (await ofApp()) === 10 + (bytes * 4) / 100, 'the ledger has it all')
  expect((await usageBy('method')).map(({ group }) => group)).toContain('eth_subscription')
})

test('a month that is used up closes with 1008 and the capacity message', async () => {
  const team = await headgate.api(
    'POST',
    '/api/teams',
    { name: 'small', tier: 'free' },
    headgate.operatorToken,
  )
  const body = { name: 'app', networks: ['ETH_MAINNET'] }
  const made = await headgate.api('POST', '/api/apps', body, team.json.data.token)
  const client = await open(made.json.data.key)
  await client.call('eth_subscribe', ['newPendingTransactions', true])
  await until(() => upstreamTold({ hash: HASH, input: '0x' }, client), 'the first is told')
  upstreamTold({ hash: HASH, input: `0x${'ab'.repeat(20_000)}` }, client)
  upstreamTold({ hash: HASH, input: '0x' }, client)
  expect(await closed(client)).toEqual({
    code: 1008,
    reason: expect.stringMatching(/^Monthly capacity limit exceeded\. Visit http:\/\/localhost/),
  })
})

function upstreamTold(transaction: unknown, client: WsClient): boolean {
  upstream.tell('newPendingTransactions,true', transaction)
  return client.notifications().length > 0
}

test('many clients share one socket of an upstream, and hear of its pending transactions', async () => {
  const apps = await Promise.all([newApp(), newApp(), newApp()])
  const clients = await Promise.all(apps.flatMap(({ key }) => [open(key), open(key)]))
  for (const client of clients) await client.call('eth_subscribe', ['newPendingTransactions'])
  await until(() => upstream.open('newPendingTransactions') === 1, 'one is open')
  upstream.tell('newPendingTransactions', HASH)
  upstream.tell('newPendingTransactions', 'nonsense')
  await until(() => clients.every((it) => it.notifications().length === 1), 'all are told')
  expect(clients.flatMap((it) => it.notifications())).toEqual(clients.map(() => HASH))

  // The loss of the socket is made good, and nobody has to do anything.
  upstream.drop()
  await until(() => {
    upstream.tell('newPendingTransactions', `0x${'cd'.repeat(32)}`)
    return clients.every((it) => it.notifications().length > 1)
  }, 'all are told again')
  expect(upstream.open('newPendingTransactions')).toBe(1)
  for (const client of clients) await client.close()
})

test('a client that stops reading is cut with 1013, and others are not held up', async () => {
  const [slow, quick] = await Promise.all([newApp(), newApp()])
  const reader = await open(quick.key)
  await reader.call('eth_subscribe', ['newPendingTransactions', true])
  const socket = await openUnread(slow.key)
  await until(() => metric('headgate_subscriptions').endsWith(' 2'), 'both are subscribed')
  const large = { hash: HASH, input: `0x${'ab'.repeat(60_000)}` }
  let told = 0
  await until(async () => {
    for (let at = 0; at < 10; at++, told++) upstream.tell('newPendingTransactions,true', large)
    // Paced by the client that reads, or a busy machine would make that one slow too.
    await until(() => reader.notifications().length === told, 'the other one got all')
    return headgate.logText().includes('"reason":"slow_reader"')
  }, 'it is cut')
  expect(reader.closed).toBe(null)
  // Behind what was left for it, the client finds the reason.
  const last = await readToEnd(socket)
  expect(last.readUInt16BE(2)).toBe(1013)
  expect(last.subarray(4).toString()).toBe(
    'The connection reads too slowly: too much waits for it.',
  )
  await reader.close()
})

describe('what ends an app ends its connections with 1008', () => {
  test.each([
    ['a rotated key', (id: string) => headgate.api('POST', `/api/apps/${id}/rotate-key`)],
    ['a deleted app', (id: string) => headgate.api('DELETE', `/api/apps/${id}`)],
  ])('%s', async (_, change) => {
    const { id, key } = await newApp()
    const client = await open(key)
    await change(id)
    expect(await closed(client)).toEqual({ code: 1008, reason: 'Must be authenticated!' })
  })
})

/** The close frame is the last one. */
async function readToEnd(socket: ReturnType<typeof connect>): Promise<Buffer> {
  let tail = Buffer.alloc(0)
  const ended = Promise.withResolvers<void>()
  socket.on('data', (bytes: Buffer) => {
    tail = Buffer.concat([tail, bytes]).subarray(-200)
  })
  socket.on('close', () => ended.resolve())
  socket.resume()
  await ended.promise
  return tail.subarray(tail.lastIndexOf(0x88))
}

/** A client that subscribes and never reads. */
async function openUnread(key: string): Promise<ReturnType<typeof connect>> {
  const { hostname, port } = new URL(headgate.url)
  const socket = connect(Number(port), hostname)
  const handshake = [
    `GET /eth-mainnet/v2/${key} HTTP/1.1`,
    `host: ${hostname}`,
    'connection: Upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
  ]
  socket.write(`${handshake.join('\r\n')}\r\n\r\n`)
  await new Promise((resolve) => socket.once('data', resolve))
  socket.pause()
  const text = Buffer.from(JSON.stringify(rpc('eth_subscribe', ['newPendingTransactions', true])))
  // A client masks its frames; a mask of zeros changes nothing.
  socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), text]))
  return socket
}

function metric(name: string): string {
  const text = headgate.running.drivers.telemetry.exposition()
  return text.split('\n').find((line) => line.startsWith(name)) ?? ''
}
