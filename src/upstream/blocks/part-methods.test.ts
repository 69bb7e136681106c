import { afterEach, describe, expect, test } from 'bun:test'
import { failureOf } from '../../../tests/support/basics/failure-of.ts'
import { ALICE, BOB, rawBlock, rawCall, rawLog } from '../../../tests/support/blocks/raw-block.ts'
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

const MINUTE = 60_000
const TRANSACTIONS = { transactions: true, receipts: false, traces: false }
const RECEIPTS = { transactions: true, receipts: true, traces: false }
const TRACES = { transactions: true, receipts: false, traces: true }
const ALL = { transactions: true, receipts: true, traces: true }

const RAW = rawBlock([{ logs: [rawLog(2)] }, { calls: [rawCall()] }, {}])
const STRUCT_LOGS = { gas: 21_000, failed: false, returnValue: '', structLogs: [] }

let nodes: BlockNetwork

/** One node that has the block, and answers some methods otherwise. */
async function nodeWith(otherwise: Answers = {}, without: string[] = []): Promise<BlockNetwork> {
  nodes = await openBlockNetwork([{ name: 'a' }])
  const answers = { ...serving(RAW), ...otherwise }
  for (const method of without) delete answers[method]
  nodes.answers.a = answers
  return nodes
}

afterEach(() => nodes.network.stop())

describe('of a block is read only what is wanted', () => {
  test.each([
    ['its header', HEADER_ONLY, ['eth_getBlockByHash'], false],
    ['its transactions', TRANSACTIONS, ['eth_getBlockByHash'], true],
    ['its receipts', RECEIPTS, ['eth_getBlockByHash', 'eth_getBlockReceipts'], true],
    ['its traces', TRACES, ['eth_getBlockByHash', 'debug_traceBlockByHash'], true],
  ])('%s', async (_title, wants, methods, whole) => {
    await nodeWith()
    const block = await nodes.read(RAW.ref, wants)
    expect(block).toMatchObject({ has: wants, transactionCount: 3 })
    expect(nodes.askedByNode()).toEqual(methods.map((method) => `a ${method}`))
    expect(nodes.paramsOf('eth_getBlockByHash')).toEqual([[RAW.ref.hash, whole]])
  })

  test('everything is asked for at once, by the hash', async () => {
    await nodeWith({ eth_getBlockByHash: () => NEVER })
    nodes.read(RAW.ref, ALL).catch(() => {})
    expect(nodes.askedByNode()).toEqual([
      'a eth_getBlockByHash',
      'a eth_getBlockReceipts',
      'a debug_traceBlockByHash',
    ])
    const tracer = { tracer: 'callTracer' }
    expect(nodes.paramsOf('debug_traceBlockByHash')).toEqual([[RAW.ref.hash, tracer]])
    expect(nodes.paramsOf('eth_getBlockReceipts')).toEqual([[RAW.ref.hash]])
  })
})

describe('a node without eth_getBlockReceipts', () => {
  const says = (code: number, message: string) => () => {
    throw new NodeError(code, message)
  }
  const MISSING: [string, () => unknown][] = [
    ['go-ethereum', says(-32601, 'the method does not exist/is not available')],
    ['hardhat', says(-32004, 'Method eth_getBlockReceipts is not supported')],
    ['ganache', says(-32700, 'The method does not exist')],
    ['EthereumJS', says(-32602, 'not implemented')],
    ['a gateway by its status', () => new Status(404)],
    ['another gateway', () => new Status(405)],
    ['a third gateway', () => new Status(501)],
    ['a node that answers something else', () => ({ receipts: [] })],
  ]

  test.each(MISSING)('as %s is, is asked for each receipt', async (_title, missing) => {
    await nodeWith({ eth_getBlockReceipts: missing })
    const block = await nodes.read(RAW.ref, RECEIPTS)
    expect(block?.logs).toHaveLength(1)
    expect(nodes.paramsOf('eth_getTransactionReceipt')).toEqual(
      RAW.receipts.map(({ transactionHash }) => [transactionHash]),
    )
    expect(nodes.told).toEqual([])
  })

  test('is known for it, and asked again after a while', async () => {
    await nodeWith({}, ['eth_getBlockReceipts'])
    await nodes.read(RAW.ref, RECEIPTS)
    await nodes.read(RAW.ref, RECEIPTS)
    expect(nodes.paramsOf('eth_getBlockReceipts')).toHaveLength(1)
    nodes.answers.a = serving(RAW)
    await nodes.clock.advance(11 * MINUTE)
    nodes.forget()
    await nodes.read(RAW.ref, RECEIPTS)
    expect(nodes.askedByNode()).toEqual(['a eth_getBlockByHash', 'a eth_getBlockReceipts'])
  })

  test('is sent a bounded number of calls at once', async () => {
    const big = rawBlock(Array.from({ length: 40 }, () => ({})))
    nodes = await openBlockNetwork([{ name: 'a' }, { name: 'b', concurrencyMax: 3, priority: 1 }])
    const slow = { ...serving(big), eth_getTransactionReceipt: () => NEVER }
    delete (slow as Answers).eth_getBlockReceipts
    Object.assign(nodes.answers, { a: slow, b: slow })
    for (const [name, places] of [
      ['a', 8],
      ['b', 3],
    ] as const) {
      nodes.forget()
      nodes.read(big.ref, RECEIPTS, name).catch(() => {})
      await nodes.clock.advance(10)
      // The first is asked alone, until it is known that the way is good.
      expect(nodes.paramsOf('eth_getTransactionReceipt')).toHaveLength(1)
      nodes.outbound.open('eth_getTransactionReceipt').at(-1)?.result(big.receipts[0])
      await nodes.clock.advance(10)
      expect(nodes.paramsOf('eth_getTransactionReceipt')).toHaveLength(1 + places)
    }
  })

  test('behind a gateway without any of the methods is not taken for broken', async () => {
    const gone = () => new Status(404)
    const many = rawBlock(Array.from({ length: 40 }, () => ({})))
    nodes = await openBlockNetwork([{ name: 'a' }])
    nodes.answers.a = {
      ...serving(many),
      debug_traceBlockByHash: gone,
      debug_traceTransaction: gone,
      trace_block: gone,
    }
    await failureOf(nodes.readInTime(many.ref, TRACES))
    expect(nodes.upstream('a').breaker.state).toBe('closed')
    expect(await nodes.read(many.ref, RECEIPTS)).toMatchObject({ transactionCount: 40 })
  })

  test('that loses a receipt gives no block', async () => {
    await nodeWith(
      {
        eth_getTransactionReceipt: ([hash]) =>
          RAW.receipts.find(
            ({ transactionHash, transactionIndex }) =>
              transactionHash === hash && transactionIndex !== '0x1',
          ) ?? null,
      },
      ['eth_getBlockReceipts'],
    )
    const failure = await failureOf(nodes.readInTime(RAW.ref, RECEIPTS))
    expect(failure).toMatchObject({
      code: 'upstream_answered_badly',
      facts: { number: 1000, reason: 'receipt 1 is missing' },
    })
  })
})

describe('traces', () => {
  const flat = (position: number, traceAddress: number[]) => ({
    type: 'call',
    action: { callType: 'call', from: ALICE, to: BOB, gas: '0x1', input: '0x', value: '0x1' },
    result: { gasUsed: '0x1', output: '0x' },
    traceAddress,
    transactionPosition: position,
    transactionHash: RAW.receipts[position].transactionHash,
    blockHash: RAW.ref.hash,
  })
  const PARITY = [flat(0, []), flat(1, []), flat(1, [0]), flat(2, [])]
  const WAYS = ['debug_traceBlockByHash', 'debug_traceTransaction', 'trace_block']

  const shape = async () => {
    const block = await nodes.read(RAW.ref, TRACES)
    return block?.traces.map(({ frame, path }) => [frame.type, path])
  }
  const WHOLE = [
    ['CALL', []],
    ['CALL', []],
    ['CALL', [1]],
    ['CALL', []],
  ]

  test.each([
    ['at once', [], { trace_block: () => PARITY }, ['debug_traceBlockByHash']],
    ['one by one', WAYS.slice(0, 1), { trace_block: () => PARITY }, WAYS.slice(0, 2)],
    ["in Parity's form", WAYS.slice(0, 2), { trace_block: () => PARITY }, WAYS],
    [
      'from a node that traces otherwise than asked',
      [],
      {
        debug_traceBlockByHash: () => RAW.traces.map(() => ({ result: STRUCT_LOGS })),
        debug_traceTransaction: () => STRUCT_LOGS,
        trace_block: () => PARITY,
      },
      WAYS,
    ],
  ])('are had %s', async (_title, without, otherwise, asked) => {
    await nodeWith(otherwise, without)
    expect(await shape()).toEqual(WHOLE)
    const methods = nodes.askedByNode().map((call) => call.slice(2))
    expect([...new Set(methods)].filter((method) => WAYS.includes(method))).toEqual(asked)
    expect(nodes.told).toEqual([])
    nodes.forget()
    expect(await shape()).toEqual(WHOLE)
    const last = asked.at(-1) ?? ''
    expect(nodes.askedByNode().every((call) => /ByHash$/.test(call) || call.endsWith(last))).toBe(
      true,
    )
  })

  test("by Parity's number are of another block after a reorganisation, and refused", async () => {
    const other = PARITY.map((trace) => ({
      ...trace,
      blockHash: rawBlock([], 1000, 'bb').ref.hash,
    }))
    await nodeWith({ trace_block: () => other }, WAYS.slice(0, 2))
    const failure = await failureOf(nodes.readInTime(RAW.ref, TRACES))
    expect(failure).toMatchObject({ facts: { reason: 'a trace has another blockHash' } })
    expect(nodes.paramsOf('trace_block')[0]).toEqual(['0x3e8'])
  })

  test('that nobody can give are a failure at once, not after all tries', async () => {
    await nodeWith({ debug_traceTransaction: () => STRUCT_LOGS }, [WAYS[0] as string])
    const reading = failureOf(nodes.read(RAW.ref, TRACES))
    await nodes.clock.advance(500)
    expect(await reading).toMatchObject({
      code: 'upstream_answered_badly',
      facts: { reason: 'no upstream gives all parts of a block' },
    })
    nodes.forget()
    await failureOf(nodes.readInTime(RAW.ref, TRACES))
    expect(nodes.askedByNode()).toEqual([])
    expect(await nodes.read(RAW.ref, RECEIPTS)).not.toBeNull()
  })

  test('of a tracer that ran out of time are asked for one by one in the end', async () => {
    const late = RAW.traces.with(1, { txHash: RAW.traces[1].txHash, error: 'execution timeout' })
    await nodeWith({ debug_traceBlockByHash: () => late })
    const block = await nodes.readInTime(RAW.ref, TRACES)
    expect(block?.traces).toHaveLength(4)
    expect(nodes.told.map(({ reason }) => reason)).toEqual([
      'trace 1 is missing',
      'trace 1 is missing',
    ])
  })

  test("of Polygon's last transaction are not asked for", async () => {
    const nobody = `0x${'0'.repeat(40)}`
    const raw = rawBlock([{}, { from: nobody, to: nobody }])
    nodes = await openBlockNetwork([{ name: 'a' }], { chainId: 137 })
    const answers = serving(raw)
    delete answers.debug_traceBlockByHash
    nodes.answers.a = answers
    expect((await nodes.read(raw.ref, TRACES))?.traces).toHaveLength(1)
    expect(nodes.paramsOf('debug_traceTransaction')).toHaveLength(1)
  })
})

describe('a node whose answer for all fails for good', () => {
  test.each([
    [
      'with an error',
      () => {
        throw new NodeError(-32000, 'receipts length mismatch: 3 vs 4')
      },
    ],
    ['with nothing', () => null],
    ['with too few', () => RAW.receipts.slice(1)],
  ])('%s is asked one by one in the end', async (_title, eth_getBlockReceipts) => {
    await nodeWith({ eth_getBlockReceipts })
    expect(await nodes.readInTime(RAW.ref, RECEIPTS)).toMatchObject({ transactionCount: 3 })
    expect(nodes.counted()).toBe(2)
  })
})
