import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { NodeError } from '../support/fake-node.ts'
import { rpc, startHeadgate, type TestHeadgate } from '../support/headgate.ts'
import { type LogLimits, type LogNode, makeLogChain, startLogNode } from '../support/log-chain.ts'
import { evmNetwork, networksEnv } from '../support/networks.ts'
import type { NodeJson } from '../support/node-json.ts'
import { expectRpcAnswer } from '../support/rpc-answer.ts'

const LENGTH = 3000
const chain = makeLogChain(7, LENGTH)
const [someAddress = '', otherAddress = ''] = chain.addresses
const [someTopic = ''] = chain.topics

/** A network for each kind of node: what is learned on one says nothing of another. */
const NETWORKS: Record<string, LogLimits[]> = {
  RANGE: [{ blocks: 200 }],
  RANGE_UNSAID: [{ blocks: 100 }],
  COUNT: [{ count: 150 }],
  SIZE: [{ bytes: 40_000 }],
  STATUS: [{}],
  TIME: [{ timely: 300 }],
  ADDRESSES: [{ addresses: 2, blocks: 1000 }],
  MIXED: [{ blocks: 700 }, { blocks: 90, count: 60 }, { bytes: 30_000 }],
  KEYS: [{ count: 1 }],
  HOPELESS: [{ count: 0 }],
  SHORT: [{ blocks: 500 }, { blocks: 500, omits: (_, at) => at % 3 === 1 }],
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
  firstOf('STATUS').misbehave = (method, body) => {
    const [filter] = JSON.parse(body).params ?? []
    const blocks = Number(filter?.toBlock) - Number(filter?.fromBlock) + 1
    return method === 'eth_getLogs' && blocks > 400 ? new Response('', { status: 413 }) : null
  }
  const networks = [...nodes].map(([id, own]) =>
    evmNetwork(id, own, id === 'WIDE' ? { logBlocksMax: 1000 } : {}),
  )
  headgate = await startHeadgate({ env: networksEnv(...networks) })
})

afterAll(async () => {
  await headgate.stop()
  for (const own of nodes.values()) for (const node of own) node.stop()
})

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

describe('eth_getLogs is equal to the truth, whatever limits nodes have', () => {
  test.each([
    ['RANGE', 'a node that names the range it takes'],
    ['RANGE_UNSAID', 'a node that refuses ranges without a number'],
    ['COUNT', 'a node that refuses by the number of logs'],
    ['SIZE', 'a node that refuses by size'],
    ['STATUS', 'a node that refuses by status 413'],
    ['TIME', 'a node that gives up after a while'],
    ['ADDRESSES', 'a node that takes few addresses'],
    ['MIXED', 'three nodes with limits of their own'],
    ['KEYS', 'a node that gives one log at a time, as far as addresses and topics go'],
    ['SHORT', 'a node that leaves logs out beside an honest one'],
    ['EMPTY', 'a node that says there are none beside an honest one'],
    ['CUT_OFF', 'a node that cuts lists off and does not say so'],
  ])('%s: %s', async (id) => {
    const filters =
      id === 'KEYS'
        ? [{ ...ALL, fromBlock: '0xb00', address: chain.addresses, topics: [chain.topics] }]
        : [
            ALL,
            { ...ALL, address: someAddress },
            { fromBlock: '0x64', toBlock: '0xa00', address: chain.addresses },
            { ...ALL, topics: [someTopic] },
            { ...ALL, address: [someAddress, otherAddress], topics: [null, chain.topics] },
          ]
    for (const filter of filters) {
      const { json } = await getLogs(id, filter)
      expect(json.error).toBeUndefined()
      expect(json.result).toEqual(chain.logsOf(filter))
    }
  })
})
