import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  type LogLimits,
  type LogNode,
  makeLogChain,
  startLogNode,
} from '../../support/blocks/log-chain.ts'
import type { NodeJson } from '../../support/blocks/node-json.ts'
import { hang, NodeError } from '../../support/nodes/fake-node.ts'
import { evmNetwork, networksEnv } from '../../support/nodes/networks.ts'
import { SELDOM_POLLED } from '../../support/nodes/pool-journey.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'
import { expectRpcAnswer } from '../../support/product/rpc-answer.ts'

const LENGTH = 3000
const chain = makeLogChain(7, LENGTH)
const [someAddress = '', otherAddress = ''] = chain.addresses
const [someTopic = ''] = chain.topics

/** A network for each kind of node: what is learned on one says nothing of another. */
const NETWORKS: Record<string, LogLimits[]> = {
  RANGE: [{ blocks: 200 }],
  RANGE_UNSAID: [{ blocks: 100 }],
  COUNT: [{ count: 150 }],
  LIMIT: [{ count: 150 }],
  SIZE: [{ bytes: 40_000 }],
  STATUS: [{}],
  TIME: [{ timely: 300 }],
  HANGING: [{}],
  ADDRESSES: [{ addresses: 2, blocks: 1000 }],
  MIXED: [{ blocks: 700 }, { blocks: 90, count: 60 }, { bytes: 30_000 }],
  KEYS: [{ count: 1 }],
  HOPELESS: [{ count: 0 }],
  SHORT: [{ blocks: 500 }, { blocks: 500, omits: (_, at) => at % 3 === 1 }],
  UNSPLIT: [{}, { omits: (_, at) => at % 3 === 1 }],
  UNSPLIT_SHORT: [{ omits: (_, at) => at % 3 === 1 }, {}],
  EMPTY: [{ blocks: 500 }, { blocks: 500, omits: () => true }],
  CUT_OFF: [{ blocks: 2000, omits: (_, at) => at >= 1000 }],
  WIDE: [{ blocks: 10 }],
}

const nodes = new Map<string, LogNode[]>()
let headgate: TestHeadgate

beforeAll(async () => {
  for (const [id, limits] of Object.entries(NETWORKS)) {
    const started = limits.map((own, at) => startLogNode(`node-${at}`, chain, own))
    nodes.set(id, started)
  }
  firstOf('RANGE_UNSAID').error.blocks = new NodeError(-32602, 'block range is too wide')
  firstOf('LIMIT').error.count = new NodeError(-32005, 'limit exceeded')
  firstOf('STATUS').misbehave = (method, body) => {
    const [filter] = JSON.parse(body).params ?? []
    const blocks = Number(filter?.toBlock) - Number(filter?.fromBlock) + 1
    return method === 'eth_getLogs' && blocks > 400 ? new Response('', { status: 413 }) : null
  }
  firstOf('HANGING').misbehave = (method, body) => {
    const [filter] = JSON.parse(body).params ?? []
    const blocks = Number(filter?.toBlock) - Number(filter?.fromBlock) + 1
    return method === 'eth_getLogs' && !(blocks <= 600) ? hang() : null
  }
  const members: Record<string, NodeJson> = {
    WIDE: { logBlocksMax: 1000 },
    HANGING: { upstream: { timeoutMs: 250 } },
  }
  const networks = [...nodes].map(([id, own]) => {
    const network = evmNetwork(id, own, { ...SELDOM_POLLED, ...members[id] })
    const [, second] = network.upstreams
    // Otherwise the faster one is asked first, which is another each time.
    if (second && id.startsWith('UNSPLIT')) second.priority = 1
    return network
  })
  headgate = await startHeadgate({ env: networksEnv(...networks) })
  await until(async () => (await shownNetworks()).every(isReady), 'every node is known')
})

afterAll(async () => {
  await headgate.stop()
  for (const own of nodes.values()) for (const node of own) node.stop()
})

type ShownNetwork = {
  finalized: number | null
  upstreams: { state: string; head: number | null }[]
}

async function shownNetworks(): Promise<ShownNetwork[]> {
  const { json } = await headgate.api('GET', '/api/networks')
  return json.data
}

/** Only then can the answer of a node be compared with another's. */
function isReady({ finalized, upstreams }: ShownNetwork): boolean {
  return (
    finalized !== null &&
    upstreams.every(({ state, head }) => state !== 'excluded' && head !== null && head > 0)
  )
}

function firstOf(id: string): LogNode {
  const [node] = nodes.get(id) ?? []
  if (!node) throw new Error('no such network')
  return node
}

async function getLogs(id: string, filter: NodeJson) {
  const slug = id.toLowerCase().replaceAll('_', '-')
  const answer = await headgate.post(rpc('eth_getLogs', [filter]), { slug })
  expectRpcAnswer(answer)
  return answer
}

const ALL = { fromBlock: '0x0', toBlock: 'latest' }

/** A stream is passed on as it comes, so that there is nothing to compare. */
const WHOLE = [
  { ...ALL, address: someAddress },
  { ...ALL, toBlock: '0x900', topics: [someTopic] },
  { ...ALL, toBlock: 'finalized', topics: [null, someTopic] },
]

const FILTERS: Record<string, NodeJson[]> = {
  ALL: [
    ALL,
    { ...ALL, address: someAddress },
    { fromBlock: '0x64', toBlock: '0xa00', address: chain.addresses },
    { ...ALL, topics: [someTopic] },
    { ...ALL, address: [someAddress, otherAddress], topics: [null, chain.topics] },
  ],
  KEYS: [{ ...ALL, fromBlock: '0xb00', address: chain.addresses, topics: [chain.topics] }],
  HANGING: [{ ...ALL, address: otherAddress }],
  UNSPLIT: WHOLE,
  UNSPLIT_SHORT: WHOLE,
}

describe('eth_getLogs is equal to the truth, whatever limits nodes have', () => {
  test.each([
    ['RANGE', 'a node that names the range it takes'],
    ['RANGE_UNSAID', 'a node that refuses ranges without a number'],
    ['COUNT', 'a node that refuses by the number of logs'],
    ['LIMIT', 'a node that refuses in the words of one that limits the rate'],
    ['SIZE', 'a node that refuses by size'],
    ['UNSPLIT', 'an honest node that takes any range beside one that leaves logs out'],
    ['UNSPLIT_SHORT', 'a node that takes any range and leaves logs out beside an honest one'],
    ['STATUS', 'a node that refuses by status 413'],
    ['TIME', 'a node that gives up after a while'],
    ['HANGING', 'a node that does not answer long ranges at all'],
    ['ADDRESSES', 'a node that takes few addresses'],
    ['MIXED', 'three nodes with limits of their own'],
    ['KEYS', 'a node that gives one log at a time, as far as addresses and topics go'],
    ['SHORT', 'a node that leaves logs out beside an honest one'],
    ['EMPTY', 'a node that says there are none beside an honest one'],
    ['CUT_OFF', 'a node that cuts lists off and does not say so'],
  ])('%s: %s', async (id) => {
    for (const filter of FILTERS[id] ?? FILTERS.ALL ?? []) {
      const { json } = await getLogs(id, filter)
      expect(json.error).toBeUndefined()
      expect(json.result).toEqual(chain.logsOf(filter))
    }
  })
})

describe('tags are resolved once, and pieces agree about them', () => {
  test.each([
    ['earliest', 'finalized'],
    ['0x500', 'safe'],
    ['safe', undefined],
    ['0x1', '0xffffff'],
  ])('from %s to %s', async (fromBlock, toBlock) => {
    const filter = { fromBlock, ...(toBlock ? { toBlock } : {}), address: someAddress }
    const { json } = await getLogs('RANGE', filter)
    expect(json.result).toEqual(chain.logsOf(filter))
  })
})

describe('what a node has shown is remembered', () => {
  test('it is not asked for more blocks than it said it takes', async () => {
    await getLogs('RANGE', ALL)
    const node = firstOf('RANGE')
    const before = node.calls.length
    await getLogs('RANGE', { ...ALL, fromBlock: '0x7', topics: [[someTopic, null]] })
    const asked = node.calls.slice(before).filter(({ method }) => method === 'eth_getLogs')
    const lengths = asked.map(({ params: [filter] }) => {
      const { fromBlock, toBlock, blockHash } = filter as NodeJson
      return blockHash ? 1 : Number(toBlock) - Number(fromBlock) + 1
    })
    expect(lengths.length).toBeGreaterThan(10)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(200)
  })

  test('finalised pieces are not asked for twice, by calls that overlap either', async () => {
    const node = firstOf('RANGE')
    const filter = { address: otherAddress, fromBlock: '0x0', toBlock: '0x7cf' }
    await getLogs('RANGE', filter)
    const before = node.callsOf('eth_getLogs')
    const overlapping = { ...filter, fromBlock: '0xc8', toBlock: '0x8ff' }
    const { json } = await getLogs('RANGE', overlapping)
    expect(json.result).toEqual(chain.logsOf(overlapping))
    expect(node.callsOf('eth_getLogs') - before).toBe(2)
  })

  test('an upstream that left logs out is named in the log and counted', async () => {
    const isNamed = (network: string, upstream: string) =>
      headgate
        .logText()
        .split('\n')
        .filter((line) => line.includes('"logs_left_out"'))
        .some((line) => line.includes(network) && line.includes(upstream))
    await until(() => isNamed('SHORT', 'node-1'), 'the log names it')
    expect(isNamed('EMPTY', 'node-0')).toBe(false)
  })
})

describe('a clear error', () => {
  test("is the node's own, data included, when even one block is too much", async () => {
    const data = { limit: 0, hint: 'use fewer' }
    firstOf('HOPELESS').error.count = new NodeError(-32005, 'query returned more than 0 logs', data)
    const { json, status } = await getLogs('HOPELESS', ALL)
    expect(status).toBe(200)
    expect(json.error).toEqual({ code: -32005, message: 'query returned more than 0 logs', data })
  })

  test('names the range when it is longer than may be put together, and costs nothing', async () => {
    const { json, headers } = await getLogs('WIDE', ALL)
    expect(json.error.code).toBe(-32602)
    expect(json.error.message).toContain('blocks 0 to 2999 are 3000')
    expect(headers.get('x-headgate-cu')).toBe('0')
    const narrower = { fromBlock: '0x0', toBlock: '0x3e7', address: someAddress }
    expect((await getLogs('WIDE', narrower)).json.result).toEqual(chain.logsOf(narrower))
  })

  test.each([
    ['a filter of another kind', [{ blockHash: `0x${'0'.repeat(64)}`, fromBlock: '0x1' }]],
    ['no filter at all', []],
    ['words instead of an address', [{ address: 'block range too large, max 1' }]],
    ['a member of its own', [{ ...ALL, limit: 'query returned more than 10 results' }]],
  ])('is what the node says of %s', async (_what, params) => {
    const node = firstOf('COUNT')
    const before = node.callsOf('eth_getLogs')
    node.misbehave = (method) =>
      method === 'eth_getLogs'
        ? Response.json({ jsonrpc: '2.0', id: null, error: { code: -32602, message: 'bad' } })
        : null
    const { json } = await headgate.post(rpc('eth_getLogs', params), { slug: 'count' })
    node.misbehave = null
    expect(json.error).toEqual({ code: -32602, message: 'bad' })
    expect(node.callsOf('eth_getLogs') - before).toBe(1)
  })
})

describe('the price grows with the blocks', () => {
  test.each([
    ['0x0', '0x7cf', '60'],
    ['0x0', '0x7d0', '70'],
    ['0x0', 'latest', '70'],
    ['0x0', '0xffffffff', '70'],
    ['latest', 'latest', '60'],
    ['0x20', '0x10', '60'],
  ])('blocks %s to %s cost %s CU', async (fromBlock, toBlock, cu) => {
    const { headers } = await getLogs('RANGE', { fromBlock, toBlock, address: someAddress })
    expect(headers.get('x-headgate-cu')).toBe(cu)
  })
})
