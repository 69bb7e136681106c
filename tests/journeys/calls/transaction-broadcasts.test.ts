import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test'
import {
  TRANSFER_HASH as HASH,
  SIGNED_TRANSFER as RAW,
} from '../../support/devnet/signed-transfer.ts'
import { type FakeNode, hang, NodeError, startFakeNode } from '../../support/nodes/fake-node.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'

setDefaultTimeout(180_000)

const SEND = 'eth_sendRawTransaction'

const nodes = ['a', 'b', 'spare'].map((name) => startFakeNode(name))
const [a, b, spare] = nodes as [FakeNode, FakeNode, FakeNode]
const reader = startFakeNode('reader')
const relays = ['relay-1', 'relay-2'].map((name) => startFakeNode(name))
const [relay1, relay2] = relays as [FakeNode, FakeNode]
const all = [...nodes, reader, ...relays]
let gate: TestHeadgate

beforeAll(async () => {
  const usual = { kind: 'evm', chainId: 1, blockTimeMs: 1000, headPollMs: 30_000 }
  const spec = ({ name, url }: FakeNode) => ({ name, url, timeoutMs: 5000 })
  const networks = [
    {
      ...usual,
      id: 'ETH_MAINNET',
      broadcast: 2,
      upstreams: [spec(a), spec(b), { ...spec(spare), priority: 1 }],
    },
    {
      ...usual,
      id: 'ETH_RELAYED',
      upstreams: [
        spec(reader),
        { ...spec(relay1), sendsOnly: true },
        { ...spec(relay2), sendsOnly: true, priority: 1 },
      ],
    },
    {
      ...usual,
      id: 'ETH_BUDGETED',
      upstreams: [
        spec(reader),
        {
          ...spec(relay1),
          sendsOnly: true,
          budget: { creditsPerMonth: 10, credits: { default: 10 } },
        },
        { ...spec(relay2), sendsOnly: true, priority: 1 },
      ],
    },
  ]
  const env = { HEADGATE_NETWORKS: JSON.stringify(networks), HEADGATE_ROLES: 'gateway,api' }
  gate = await startHeadgate({ env })
  await until(async () => {
    const { json } = await gate.api('GET', '/api/networks')
    const heads = json.data.flatMap(({ upstreams }: { upstreams: Upstream[] }) =>
      upstreams.filter(({ sends_only }) => !sends_only).map(({ head }) => head),
    )
    return heads.every((head: unknown) => head === 1000)
  }, 'every node has told its head')
})
afterAll(async () => {
  await gate.stop()
  for (const node of all) node.stop()
})

beforeEach(() => {
  for (const node of all) {
    node.answers = { [SEND]: HASH, eth_getTransactionByHash: null }
    node.misbehave = null
    node.calls.length = 0
  }
})

type Upstream = { name: string; sends_only: boolean; head: number | null }

const send = (slug = 'eth-mainnet') => gate.post(rpc(SEND, [RAW], 'mine'), { slug })
const ANSWERED = { jsonrpc: '2.0', id: 'mine', result: HASH }

describe('a signed transaction that goes to two upstreams at once', () => {
  test('is sent to both and answered for the price of one', async () => {
    const { json, headers } = await send()
    expect({ json, cu: headers.get('x-headgate-cu') }).toEqual({ json: ANSWERED, cu: '40' })
    await until(() => a.callsOf(SEND) + b.callsOf(SEND) === 2, 'both have it')
    expect(spare.callsOf(SEND)).toBe(0)
  })

  test('is answered by the first to take it, while the other hangs', async () => {
    a.misbehave = (method) => (method === SEND ? hang() : null)
    expect((await send()).json).toEqual(ANSWERED)
  })

  test.each([
    ['already known', -32000],
    ['Known transaction: 1234', -32010],
    ['transaction already imported', -32010],
  ])('is in the pool of a node that says %j', async (words, code) => {
    for (const node of nodes) node.answers[SEND] = says(code, words)
    expect((await send()).json).toEqual(ANSWERED)
  })

  test('is mined already where its nonce is too low and a node has it', async () => {
    for (const node of nodes) {
      node.answers[SEND] = says(-32000, 'nonce too low')
      node.answers.eth_getTransactionByHash = ([hash]: [string]) =>
        hash === HASH ? { hash } : null
    }
    expect((await send()).json).toEqual(ANSWERED)
  })

  test('is refused where its nonce went to another one', async () => {
    for (const node of nodes) node.answers[SEND] = says(-32000, 'nonce too low')
    expect((await send()).json.error.message).toBe('nonce too low')
  })

  test('goes to another upstream in the place of one that fails', async () => {
    for (const node of [a, b]) {
      node.misbehave = (method) => (method === SEND ? new Response('no', { status: 502 }) : null)
    }
    expect((await send()).json).toEqual(ANSWERED)
    expect(spare.callsOf(SEND)).toBe(1)
  })

  test('is refused in the words of the node that speaks of it, not of itself', async () => {
    a.answers[SEND] = says(-32000, 'transaction pool is full')
    b.answers[SEND] = says(-32000, 'insufficient funds for gas * price + value')
    spare.answers[SEND] = says(-32603, 'internal error')
    const { status, json } = await send()
    expect({ status, code: json.error.code }).toEqual({ status: 200, code: -32000 })
    expect(json.error.message).toStartWith('insufficient funds')
  })

  test('fails as ever where nobody answers', async () => {
    for (const node of nodes) {
      node.misbehave = (method) => (method === SEND ? new Response('no', { status: 502 }) : null)
    }
    const { status, json, headers } = await send()
    expect({ status, code: json.error.code }).toEqual({ status: 503, code: -32603 })
    expect(headers.get('x-headgate-cu')).toBe('0')
  })

  test('that is none is refused in the words of a node', async () => {
    for (const node of nodes) node.answers[SEND] = says(-32602, 'already known hex')
    const { json } = await gate.post(rpc(SEND, ['0xzz']))
    expect(json.error.code).toBe(-32602)
  })
})

describe('a network with a private relay', () => {
  const counts = (method: string) => [reader, relay1, relay2].map((node) => node.callsOf(method))

  test('sends to the relay alone and reads elsewhere', async () => {
    expect((await send('eth-relayed')).json).toEqual(ANSWERED)
    await gate.post(rpc('eth_getBalance', [`0x${'22'.repeat(20)}`, 'latest']), {
      slug: 'eth-relayed',
    })
    expect(counts(SEND)).toEqual([0, 1, 0])
    expect(counts('eth_getBalance')).toEqual([1, 0, 0])
  })

  test('asks the next relay when one fails, and never a public node', async () => {
    relay1.misbehave = () => new Response('no', { status: 500 })
    expect((await send('eth-relayed')).json).toEqual(ANSWERED)
    relay2.misbehave = () => new Response('no', { status: 500 })
    expect((await send('eth-relayed')).status).toBe(503)
    expect(reader.callsOf(SEND)).toBe(0)
  })

  test('goes by its budget', async () => {
    for (let sent = 0; sent < 3; sent++) {
      expect((await send('eth-budgeted')).json).toEqual(ANSWERED)
    }
    expect(counts(SEND)).toEqual([0, 1, 2])
  })

  test('sends bundles there too, and only once', async () => {
    for (const relay of relays) relay.answers.eth_sendBundle = says(-32601, 'method not found')
    const bundle = rpc('eth_sendBundle', [{ txs: [RAW] }])
    expect((await gate.post(bundle, { slug: 'eth-relayed' })).json.error.code).toBe(-32601)
    expect(counts('eth_sendBundle')).toEqual([0, 1, 1])
    for (const relay of relays) {
      relay.misbehave = (method) =>
        method === 'eth_sendBundle' ? new Response('no', { status: 502 }) : null
    }
    expect((await gate.post(bundle, { slug: 'eth-relayed' })).status).toBe(503)
    expect(relays.map((relay) => relay.callsOf('eth_sendBundle')).sort()).toEqual([1, 2])
    expect(reader.callsOf('eth_sendBundle')).toBe(0)
  })

  test('never polls it, is ready without it, and shows it in the report', async () => {
    for (const relay of relays) {
      for (const method of ['eth_chainId', 'eth_getBlockByNumber', 'eth_blockNumber']) {
        expect(relay.callsOf(method)).toBe(0)
      }
    }
    expect((await fetch(`${gate.url}/readyz`)).status).toBe(200)
    const { json } = await gate.api('GET', '/api/networks')
    const report = json.data.find(({ id }: { id: string }) => id === 'ETH_RELAYED')
    expect(report.upstreams.map(({ name }: Upstream) => name)).toEqual([
      'reader',
      'relay-1',
      'relay-2',
    ])
    expect(report.upstreams[2]).toMatchObject({ sends_only: true, head: null, heard: false })
  })
})

function says(code: number, message: string) {
  return () => {
    throw new NodeError(code, message)
  }
}
