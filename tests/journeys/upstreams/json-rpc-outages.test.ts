// Runs on both stores.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { hang, replyInBytes, startFakeNode } from '../../support/nodes/fake-node.ts'
import { evmNetwork, networksEnv, solanaNetwork } from '../../support/nodes/networks.ts'
import { rpc, startHeadgate, type TestHeadgate } from '../../support/product/headgate.ts'
import { expectRpcAnswer } from '../../support/product/rpc-answer.ts'

const nodes = [startFakeNode('node-a'), startFakeNode('node-b')]
const solanaNode = startFakeNode('node-s')
const hanging = startFakeNode('node-h')
/** Nodes that never failed, so that none of them is at rest. */
const calm = [startFakeNode('node-c'), startFakeNode('node-d')]
const all = [...nodes, solanaNode, hanging, ...calm]
let headgate: TestHeadgate

beforeAll(async () => {
  headgate = await startHeadgate({
    env: networksEnv(
      evmNetwork('ETH_MAINNET', nodes),
      evmNetwork('CALM', calm),
      solanaNetwork('SOLANA_MAINNET', [solanaNode]),
      evmNetwork('SLOW', [hanging], { upstream: { timeoutMs: 200 } }),
    ),
  })
})

beforeEach(() => {
  for (const node of all) node.misbehave = null
})

afterAll(async () => {
  await headgate.stop()
  for (const node of all) node.stop()
})

/** Ways for a node to give no answer; each leaks its address if we let it. */
const OUTAGES: [what: string, answer: (body: string, url: string) => Response][] = [
  ['HTTP 500', (_body, url) => new Response(`cannot reach ${url}`, { status: 500 })],
  ['HTTP 502 with a page', (_body, url) => new Response(`<h1>${url}</h1>`, { status: 502 })],
  ['HTTP 401', (_body, url) => new Response(url, { status: 401 })],
  ['HTTP 403', (_body, url) => Response.json({ error: url }, { status: 403 })],
  ['HTTP 404 with a page', (_body, url) => new Response(`<h1>${url}</h1>`, { status: 404 })],
  ['HTTP 429', (_body, url) => new Response(url, { status: 429, headers: { 'retry-after': '1' } })],
  ['a redirect', (_body, url) => Response.redirect(url, 302)],
  ['a page with HTTP 200', (_body, url) => new Response(`<h1>${url}</h1>`)],
  ['nothing', () => new Response('')],
  ['half an answer', () => new Response('{"jsonrpc":"2.0","id":1,"result":')],
  ['null', () => Response.json(null)],
  ['a list', () => Response.json([])],
  ['neither result nor error', (body) => replyInBytes(body, '"nothing":1')],
  ['another call’s answer', () => Response.json({ jsonrpc: '2.0', id: 987_654, result: '0x1' })],
  ['an error without a code', (body) => replyInBytes(body, '"error":"no"')],
  ['its own rate limit', (body) => replyInBytes(body, limited(-32005))],
  ['its own rate limit as 429', (body) => replyInBytes(body, limited(429))],
  [
    'a refused key of ours',
    (body) => replyInBytes(body, '"error":{"code":-32000,"message":"Must be authenticated!"}'),
  ],
]

function limited(code: number): string {
  return `"error":{"code":${code},"message":"rate limit exceeded for project id 77"}`
}

/** Has these nodes fail one method; polls of the gateway still work. */
function fail(method: string, outage: (body: string, url: string) => Response, ...which: number[]) {
  for (const at of which) {
    const node = all[at]
    if (!node) continue
    node.misbehave = (asked, body) => (asked === method ? outage(body, node.url) : null)
  }
}

async function post(body: unknown, slug = 'eth-mainnet') {
  const answer = await headgate.post(body, { slug })
  expectRpcAnswer(answer)
  return answer
}

describe('when every node fails', () => {
  test.each(OUTAGES)('with %s, the client learns only that', async (_what, outage) => {
    fail('eth_getBalance', outage, 0, 1)
    const answer = await post(rpc('eth_getBalance', ['0x00', 'latest'], 'mine'))
    expect(answer.status).toBe(503)
    expect(answer.json).toMatchObject({ id: 'mine', error: { code: -32603 } })
    expect(answer.json.error).not.toHaveProperty('data')
    expect(answer.text).not.toMatch(/node-[ab]|http|rate limit|project id|authenticated/)
    expect(answer.headers.get('x-headgate-cu')).toBe('0')
  })

  test('by not answering in time, the client is told so with 504', async () => {
    hanging.misbehave = (method) => (method === 'eth_getBalance' ? hang() : null)
    const answer = await post(rpc('eth_getBalance', ['0x00', 'latest'], 7), 'slow')
    expect(answer.status).toBe(504)
    expect(answer.json).toMatchObject({ id: 7, error: { code: -32603 } })
    expect(answer.headers.get('x-headgate-cu')).toBe('0')
  })

  test('a member of a batch fails alone, with HTTP 200', async () => {
    fail('test_getIt', () => new Response('', { status: 500 }), 0, 1)
    for (const node of nodes) node.answers.eth_accounts = []
    const { status, json, headers } = await post([
      rpc('eth_accounts', [], 1),
      rpc('test_getIt', [], 2),
      rpc('eth_getBalance', ['0x00', 'latest'], 3),
    ])
    expect(status).toBe(200)
    expect(json[0].result).toEqual([])
    expect(json[1].error.code).toBe(-32603)
    expect(json[2].result).toBe('0x1')
    expect(headers.get('x-headgate-cu')).toBe('30')
  })
})

describe('when one of two nodes fails', () => {
  test.each(OUTAGES)('with %s, the client notices nothing', async (_what, outage) => {
    for (const broken of [0, 1]) {
      for (const node of nodes) node.misbehave = null
      fail('test_getIt', outage, broken)
      const other = nodes[1 - broken]
      if (other) other.answers.test_getIt = 'fine'
      const answer = await post(rpc('test_getIt', [], 'mine'))
      expect(answer.json).toEqual({ jsonrpc: '2.0', id: 'mine', result: 'fine' })
      expect(answer.headers.get('x-headgate-upstream')).toBe(other?.name ?? '?')
    }
  })

  test('a node that is behind gives way to one that is not', async () => {
    const behind = '"error":{"code":-32000,"message":"header not found"}'
    fail('eth_getStorageAt', (body) => replyInBytes(body, behind), 4)
    for (const node of calm) node.answers.eth_getStorageAt = '0x07'
    const { json } = await post(rpc('eth_getStorageAt', ['0x00', '0x0', 'latest']), 'calm')
    expect(json.result).toBe('0x07')
  })

  test('both behind: the node’s own words, with HTTP 200', async () => {
    const behind = '"error":{"code":-32000,"message":"header not found"}'
    fail('eth_getStorageAt', (body) => replyInBytes(body, behind), 4, 5)
    const { status, json } = await post(rpc('eth_getStorageAt', ['0x01', '0x0', 'latest']), 'calm')
    expect(status).toBe(200)
    expect(json.error).toEqual({ code: -32000, message: 'header not found' })
  })
})

describe('on a Solana network', () => {
  test.each([
    '{"code":-32005,"message":"Node is behind by 42 slots","data":{"numSlotsBehind":42}}',
    '{"code":-32016,"message":"Minimum context slot has not been reached","data":{"contextSlot":9}}',
    '{"code":-32002,"message":"Transaction simulation failed","data":{"logs":[],"unitsConsumed":0}}',
    '{"code":-32602,"message":"Invalid param: WrongSize"}',
  ])('the node’s words stay its own: %s', async (errorText) => {
    fail('getBalance', (body) => replyInBytes(body, `"error":${errorText}`), 2)
    const { status, text } = await post(rpc('getBalance', ['x']), 'solana-mainnet')
    expect(status).toBe(200)
    expect(text).toBe(`{"jsonrpc":"2.0","id":1,"error":${errorText}}`)
  })

  // There -32005 is what a node says of itself, and a refusal of our key has no code.
  const neutral = OUTAGES.filter(
    ([what]) => what !== 'its own rate limit' && what !== 'a refused key of ours',
  )

  test.each(neutral)('none of them is made up for %s', async (_what, outage) => {
    fail('getBalance', outage, 2)
    const { status, json } = await post(rpc('getBalance', ['x']), 'solana-mainnet')
    expect([status, json.error.code]).toEqual([503, -32603])
  })

  test('digits of a u64 are kept', async () => {
    const member = '"result":{"context":{"slot":1},"value":18446744073709551615}'
    fail('getBalance', (body) => replyInBytes(body, member), 2)
    const { text } = await post(rpc('getBalance', ['x']), 'solana-mainnet')
    expect(text).toContain('18446744073709551615')
  })
})
