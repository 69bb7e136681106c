import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { startFakeNode } from '../../support/nodes/fake-node.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'
import { openWsClient, type WsClient } from '../../support/product/ws-client.ts'
import { asSolana, SOLANA_NETWORK } from '../../support/solana/solana-journey.ts'

const FRAME_BYTES_MAX = 2.5 * 2 ** 20

const REFUSED = { code: 1003, reason: 'Binary frames must contain JSON encoded as UTF-8.' }

const node = startFakeNode()
const ledger = asSolana(startFakeNode('ledger'))
let headgate: TestHeadgate
let solana: TestHeadgate
let address: string
let client: WsClient

beforeAll(async () => {
  node.answers.eth_getBalance = '0x123456789abcdef0123456789abcdef'
  headgate = await startHeadgate({ nodes: [node] })
  solana = await startHeadgate({ nodes: [ledger], network: SOLANA_NETWORK })
  address = `${headgate.url}/eth-mainnet/v2/${headgate.appKey}`
  client = await openWsClient(address)
})

afterAll(async () => {
  await headgate.stop()
  await solana.stop()
  node.stop()
  ledger.stop()
})

const bytes = (text: string) => new TextEncoder().encode(text)
const json = (value: unknown) => bytes(JSON.stringify(value))

/** The bytes of a call whose id is a string that holds these bytes. */
const callWithId = (...id: number[]) =>
  new Uint8Array([
    ...bytes('{"jsonrpc":"2.0","method":"eth_chainId","params":[],"id":"'),
    ...id,
    ...bytes('"}'),
  ])

/** The text of the answer to one frame. */
function answerTo({ socket }: WsClient, frame: string | Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    if (socket.readyState !== WebSocket.OPEN) reject(new Error('the socket is closed'))
    socket.addEventListener('message', ({ data }) => resolve(data as string), { once: true })
    socket.addEventListener('close', ({ reason }) => reject(new Error(reason)), { once: true })
    socket.send(frame)
  })
}

describe('a binary frame of UTF-8 JSON', () => {
  test('is answered with text, under its own id', async () => {
    const frame = '{"jsonrpc":"2.0","id":12345678901234567890123,"method":"eth_chainId"}'
    expect(await answerTo(client, bytes(frame))).toBe(
      '{"jsonrpc":"2.0","id":12345678901234567890123,"result":"0x1"}',
    )
  })

  test('may be a batch, in which a bad member gets its own error', async () => {
    const answer = await answerTo(client, json([rpc('eth_chainId', [], 'a'), { id: 7 }]))
    expect(JSON.parse(answer)).toEqual([
      { jsonrpc: '2.0', id: 'a', result: '0x1' },
      {
        jsonrpc: '2.0',
        id: 7,
        error: { code: -32600, message: 'Invalid request: jsonrpc must be "2.0".' },
      },
    ])
  })

  test('may hold characters of several bytes', async () => {
    const answer = await answerTo(client, json(rpc('eth_chainId', [], 'é世🌍')))
    expect(JSON.parse(answer)).toEqual({ jsonrpc: '2.0', id: 'é世🌍', result: '0x1' })
  })

  test('subscribes and unsubscribes', async () => {
    const { result } = JSON.parse(await answerTo(client, json(rpc('eth_subscribe', ['newHeads']))))
    expect(result).toMatch(/^0x[0-9a-f]{32}$/)
    const ended = await answerTo(client, json(rpc('eth_unsubscribe', [result])))
    expect(JSON.parse(ended).result).toBe(true)
  })

  test('is priced, billed and logged like text', async () => {
    const usage = async () => (await headgate.api('GET', '/api/usage/summary')).text
    const before = await usage()
    await answerTo(client, json(rpc('eth_getBalance', ['0xff', 'latest'])))
    await until(async () => (await usage()) !== before, 'the call is in the ledger')
    const line = /"event":"rpc",.*"method":"eth_getBalance".*"cu":20/
    await until(() => line.test(headgate.logText()), 'the call is in the log')
  })

  test.each([
    ['an empty batch', '[]'],
    ['a number', '5'],
    ['a text', '"eth_chainId"'],
    ['deep JSON', '['.repeat(1000) + ']'.repeat(1000)],
    ['a batch of 101', JSON.stringify(Array(101).fill(rpc('eth_chainId')))],
    ['params that are no list', '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":{}}'],
    ['a method that controls a node', JSON.stringify(rpc('admin_peers'))],
  ])('gets the same error as text: %s', async (_, frame) => {
    const answer = await answerTo(client, bytes(frame))
    expect(JSON.parse(answer).error.code).toBeLessThanOrEqual(-32600)
    expect(answer).toBe(await answerTo(client, frame))
  })

  test('may have 2.5 MiB, and one byte more closes with 1009', async () => {
    const large = await openWsClient(address)
    const padded = JSON.stringify(rpc('eth_chainId')).padEnd(FRAME_BYTES_MAX)
    expect(JSON.parse(await answerTo(large, bytes(padded))).result).toBe('0x1')
    large.socket.send(bytes(`${padded} `))
    await until(() => large.closed !== null, 'it is closed')
    expect(large.closed?.code).toBe(1009)
  })

  test('may come in fragments that split a character', async () => {
    const frame = json(rpc('eth_chainId', [], '🌍'))
    const cut = frame.indexOf(0xf0) + 2
    const answer = await sendFragments([frame.subarray(0, cut), frame.subarray(cut)])
    expect(answer).toContain('{"jsonrpc":"2.0","id":"🌍","result":"0x1"}')
  })

  test('works on Solana', async () => {
    const socket = await openWsClient(`${solana.url}/solana-mainnet/v2/${solana.appKey}`)
    const answer = await answerTo(socket, json(rpc('getHealth', [], 'é')))
    expect(JSON.parse(answer)).toEqual({ jsonrpc: '2.0', id: 'é', result: 'ok' })
    socket.socket.send(new Uint8Array([0xff]))
    await until(() => socket.closed !== null, 'it is closed')
    expect(socket.closed).toEqual(REFUSED)
  })
})

const UTF_16 = new Uint8Array(Buffer.from('{}', 'utf16le'))

test.each([
  ['nothing', new Uint8Array()],
  ['white space', bytes(' \r\n\t')],
  ['a NUL byte', new Uint8Array([0])],
  ['a NUL byte behind a call', bytes(`${JSON.stringify(rpc('eth_chainId'))}\0`)],
  ['a NUL byte in a string', callWithId(0)],
  ['a byte-order mark', bytes(`\ufeff${JSON.stringify(rpc('eth_chainId'))}`)],
  ['words', bytes('hello')],
  ['half a call', bytes('{"jsonrpc":"2.0"')],
  ['UTF-16', UTF_16],
  ['a byte that UTF-8 does not have', callWithId(0xff)],
  ['half a character', callWithId(0xe4, 0xb8)],
  ['an overlong character', callWithId(0xc0, 0xaf)],
  ['surrogates (CESU-8)', callWithId(0xed, 0xa0, 0xbc, 0xed, 0xbc, 0x8d)],
])('a binary frame of %s closes with 1003', async (_, frame) => {
  const refused = await openWsClient(address)
  refused.socket.send(frame)
  await until(() => refused.closed !== null, 'it is closed')
  expect([refused.closed, refused.messages]).toEqual([REFUSED, []])
})

/** Sends one binary message in fragments, and returns what the server sent after its handshake. */
function sendFragments(fragments: readonly Uint8Array[]): Promise<string> {
  const { hostname, port, pathname } = new URL(address)
  const handshake = [
    `GET ${pathname} HTTP/1.1`,
    `Host: ${hostname}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ]
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let received = ''
    socket.on('error', reject)
    socket.on('close', () => reject(new Error(`closed after ${received}`)))
    socket.on('data', (chunk) => {
      received += chunk.toString('utf8')
      if (!received.includes('"result"')) return
      resolve(received)
      socket.destroy()
    })
    socket.write(`${handshake.join('\r\n')}\r\n\r\n`)
    for (const [at, fragment] of fragments.entries()) {
      const opcode = at === 0 ? 0x2 : 0x0
      const fin = at === fragments.length - 1 ? 0x80 : 0
      // A client has to mask what it sends. A key of zeros leaves it readable.
      socket.write(new Uint8Array([fin | opcode, 0x80 | fragment.length, 0, 0, 0, 0, ...fragment]))
    }
  })
}
