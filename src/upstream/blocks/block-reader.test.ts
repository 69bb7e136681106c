import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { failureOf } from '../../../tests/support/basics/failure-of.ts'
import { bloomOf, rawBlock, rawCall, rawLog } from '../../../tests/support/blocks/raw-block.ts'
import {
  type Answers,
  type BlockNetwork,
  NEVER,
  openBlockNetwork,
  Status,
  serving,
} from '../../../tests/support/nodes/block-network.ts'
import { NodeError } from '../../../tests/support/nodes/fake-node.ts'
import { HEADER_ONLY } from '../../core/chain/block.ts'

const SECOND = 1000
const RECEIPTS = { transactions: true, receipts: true, traces: false }
const ALL = { transactions: true, receipts: true, traces: true }

const RAW = rawBlock([{ logs: [rawLog(2)] }, { calls: [rawCall()] }, {}])
const OTHER = rawBlock([{ logs: [rawLog(1)] }, {}, {}], 1000, 'bb')

/** A node that hears of everything and knows nothing. */
const IGNORANT: Answers = { ...serving(RAW), eth_getBlockByHash: () => null }

let nodes: BlockNetwork

beforeEach(async () => {
  nodes = await openBlockNetwork([{ name: 'a' }, { name: 'b' }, { name: 'c' }])
  for (const name of ['a', 'b', 'c']) nodes.answers[name] = serving(RAW)
})

afterEach(() => nodes.network.stop())

/** Names of the upstreams that were asked for the block itself, in order. */
function askedForBlock(): string[] {
  return nodes
    .askedByNode()
    .filter((call) => call.endsWith('eth_getBlockByHash'))
    .map((call) => call.split(' ')[0] ?? '')
}

async function passedMs(work: () => Promise<unknown>): Promise<number> {
  const before = nodes.clock.monotonicMs()
  await work()
  return nodes.clock.monotonicMs() - before
}

describe('a block', () => {
  test('is read whole from the upstream that announced it, and from no other', async () => {
    const block = await nodes.read(RAW.ref, ALL, 'b')
    expect(block).toMatchObject({ transactionCount: 3, header: RAW.ref })
    expect(nodes.askedByNode().map((call) => call[0])).toEqual(['b', 'b', 'b'])
    expect(nodes.told).toEqual([])
  })

  test('of an upstream that is down is read from another', async () => {
    nodes.answers.a = { eth_getBlockByHash: () => new Status(502) }
    expect(await nodes.read(RAW.ref, ALL, 'a')).toMatchObject({ transactionCount: 3 })
    expect(askedForBlock()).toEqual(['a', 'b'])
  })

  test('is never read from an upstream of another chain', async () => {
    nodes.upstream('b').chain = 'wrong'
    nodes.answers.a = IGNORANT
    nodes.answers.c = IGNORANT
    expect(await nodes.readInTime(RAW.ref, RECEIPTS, 'b')).toBeNull()
    expect(askedForBlock()).not.toContain('b')
  })

  test('is read whatever the case of the hash', async () => {
    const { number, hash } = RAW.ref
    const ref = { number, hash: `0x${hash.slice(2).toUpperCase()}` }
    expect((await nodes.read(ref, HEADER_ONLY))?.header.hash).toBe(hash)
  })
})

describe('a fresh block', () => {
  test('that its node cannot give yet is asked for again in a moment', async () => {
    let tries = 0
    nodes.answers.a = {
      ...serving(RAW),
      eth_getBlockReceipts: () => (tries++ === 0 ? [] : RAW.receipts),
    }
    expect(await nodes.readInTime(RAW.ref, RECEIPTS, 'a')).toMatchObject({ transactionCount: 3 })
    expect(askedForBlock()).toEqual(['a', 'a'])
    expect(nodes.told).toEqual([
      {
        event: 'block_parts_disagree',
        network: 'ETH_MAINNET',
        upstream: 'a',
        number: 1000,
        reason: 'there are 0 receipts for 3 transactions',
      },
    ])
    expect(nodes.counted()).toBe(1)
  })

  test('that reaches the nodes only after a second is found', async () => {
    const hereAtMs = nodes.clock.monotonicMs() + SECOND
    const late: Answers = {
      ...serving(RAW),
      eth_getBlockByHash: () => (nodes.clock.monotonicMs() < hereAtMs ? null : RAW.block),
    }
    Object.assign(nodes.answers, { a: late, b: late, c: late })
    expect(await nodes.readInTime(RAW.ref, RECEIPTS, 'a')).toMatchObject({ transactionCount: 3 })
  })

  test('that one node has, and others do not, is read from the one', async () => {
    Object.assign(nodes.answers, { a: IGNORANT, b: IGNORANT })
    expect(await nodes.readInTime(RAW.ref, ALL, 'a')).toMatchObject({ transactionCount: 3 })
  })
})

describe('parts that disagree', () => {
  const DISAGREEING: [string, Answers][] = [
    ['no receipts', { eth_getBlockReceipts: () => null, eth_getTransactionReceipt: () => null }],
    ['an empty list of receipts', { eth_getBlockReceipts: () => [] }],
    ['a receipt too few', { eth_getBlockReceipts: () => RAW.receipts.slice(1) }],
    ["another block's receipts", { eth_getBlockReceipts: () => OTHER.receipts }],
    ["another block's traces", { debug_traceBlockByHash: () => OTHER.traces }],
    ['another block', { eth_getBlockByHash: () => OTHER.block }],
    ['no traces', { debug_traceBlockByHash: () => [] }],
    [
      'hashes in place of transactions',
      { eth_getBlockByHash: () => ({ ...RAW.block, transactions: ['0x'] }) },
    ],
    [
      'a wrong bloom',
      { eth_getBlockByHash: () => ({ ...RAW.block, logsBloom: bloomOf([rawLog(4)]) }) },
    ],
    [
      'a lost list of transactions',
      {
        eth_getBlockByHash: () => ({ ...RAW.block, transactions: [] }),
        eth_getBlockReceipts: () => [],
        debug_traceBlockByHash: () => [],
      },
    ],
    ['nonsense', { eth_getBlockByHash: () => 'block' }],
    [
      'an internal error',
      {
        eth_getBlockByHash: () => {
          throw new NodeError(-32603, 'boom')
        },
      },
    ],
  ]

  test.each(DISAGREEING)('%s: asked for again, then elsewhere', async (_title, wrong) => {
    nodes.answers.a = { ...serving(RAW), eth_getTransactionReceipt: () => null, ...wrong }
    const block = await nodes.readInTime(RAW.ref, ALL, 'a')
    expect(block).toMatchObject({ transactionCount: 3, header: RAW.ref })
    expect(askedForBlock()).toEqual(['a', 'a', 'b'])
    expect(nodes.counted()).toBe(2)
  })

  test('everywhere: a failure that says what, after some seconds, and never a block', async () => {
    const logsBloom = bloomOf([rawLog(4)])
    const wrong = { ...serving(RAW), eth_getBlockByHash: () => ({ ...RAW.block, logsBloom }) }
    Object.assign(nodes.answers, { a: wrong, b: wrong, c: wrong })
    const tookMs = await passedMs(async () => {
      expect(await failureOf(nodes.readInTime(RAW.ref, ALL, 'a'))).toMatchObject({
        code: 'upstream_answered_badly',
        facts: { number: 1000, reason: 'the logsBloom tells of logs that the receipts lack' },
      })
    })
    expect(tookMs).toBeGreaterThan(3 * SECOND)
    expect(tookMs).toBeLessThan(10 * SECOND)
  })

  test('about gas are none: forks change how it is counted', async () => {
    nodes.answers.a = {
      ...serving(RAW),
      eth_getBlockByHash: () => ({ ...RAW.block, gasUsed: '0x1' }),
    }
    expect(await nodes.read(RAW.ref, ALL, 'a')).toMatchObject({ transactionCount: 3 })
    expect(askedForBlock()).toEqual(['a'])
  })

  test('are told of without addresses or words of the node', async () => {
    const secret = () => {
      throw new NodeError(-32000, 'http://user:password@node/key')
    }
    nodes.answers.a = {
      ...serving(RAW),
      eth_getBlockReceipts: secret,
      eth_getTransactionReceipt: secret,
    }
    await nodes.readInTime(RAW.ref, RECEIPTS, 'a')
    expect(nodes.told).toHaveLength(2)
    expect(JSON.stringify(nodes.told)).not.toMatch(/http|password|key/)
  })
})

describe('a block that nobody knows', () => {
  const never = (answer: () => unknown) => {
    for (const name of ['a', 'b', 'c']) {
      nodes.answers[name] = { ...serving(RAW), eth_getBlockByHash: answer }
    }
  }

  test.each([
    ['with null', () => null],
    [
      'as go-ethereum does',
      () => {
        throw new NodeError(-32000, 'unknown block')
      },
    ],
    [
      'as others do',
      () => {
        throw new NodeError(-32000, 'header not found')
      },
    ],
    [
      'as Avalanche does',
      () => {
        throw new NodeError(-32000, 'cannot query unfinalized data')
      },
    ],
    [
      'as Hyperliquid does',
      () => {
        throw new NodeError(-32603, 'invalid block height')
      },
    ],
  ])('is null, said %s, once slow nodes had their chance', async (_title, answer) => {
    never(answer)
    const tookMs = await passedMs(async () => {
      expect(await nodes.readInTime(RAW.ref, ALL, 'a')).toBeNull()
    })
    expect(tookMs).toBeGreaterThan(SECOND)
    expect(tookMs).toBeLessThan(5 * SECOND)
    expect(nodes.told).toEqual([])
  })

  test('is null though one node is down and another hangs', async () => {
    Object.assign(nodes.answers, {
      a: { eth_getBlockByHash: () => NEVER },
      b: { eth_getBlockByHash: () => new Status(502) },
      c: IGNORANT,
    })
    expect(await nodes.readInTime(RAW.ref, HEADER_ONLY, 'a')).toBeNull()
  })

  test('is null after its parts disagreed, as when it was dropped while it was read', async () => {
    let tries = 0
    const dropped: Answers = {
      ...serving(RAW),
      eth_getBlockByHash: () => (tries++ < 2 ? RAW.block : null),
      eth_getBlockReceipts: () => null,
      eth_getTransactionReceipt: () => null,
    }
    Object.assign(nodes.answers, { a: dropped, b: IGNORANT, c: IGNORANT })
    expect(await nodes.readInTime(RAW.ref, RECEIPTS, 'a')).toBeNull()
  })
})
