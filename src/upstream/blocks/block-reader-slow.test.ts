import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { failureOf } from '../../../tests/support/basics/failure-of.ts'
import { rawBlock, rawCall, rawLog } from '../../../tests/support/blocks/raw-block.ts'
import {
  type Answers,
  type BlockNetwork,
  NEVER,
  openBlockNetwork,
  Status,
  serving,
} from '../../../tests/support/nodes/block-network.ts'
import { HEADER_ONLY } from '../../core/chain/block.ts'

const SECOND = 1000
const RECEIPTS = { transactions: true, receipts: true, traces: false }
const ALL = { transactions: true, receipts: true, traces: true }

const RAW = rawBlock([{ logs: [rawLog(2)] }, { calls: [rawCall()] }, {}])

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

describe('an upstream that hangs', () => {
  const hangs: Answers = { ...serving(RAW), debug_traceBlockByHash: () => NEVER }

  test('holds the block up for two seconds, then another is asked too', async () => {
    nodes.answers.a = hangs
    const tookMs = await passedMs(async () => {
      expect(await nodes.readInTime(RAW.ref, ALL, 'a')).toMatchObject({ transactionCount: 3 })
    })
    expect(tookMs).toBeLessThan(3 * SECOND)
    expect(askedForBlock()).toEqual(['a', 'b'])
  })

  test('may be slow: what it says after ten seconds is taken where nobody else knows', async () => {
    nodes.answers.a = hangs
    const failing = { eth_getBlockByHash: () => new Status(502) }
    Object.assign(nodes.answers, { b: failing, c: failing })
    const reading = nodes.read(RAW.ref, ALL, 'a')
    await nodes.clock.advance(10 * SECOND)
    expect(askedForBlock().filter((name) => name === 'a')).toHaveLength(1)
    nodes.outbound.open('debug_traceBlockByHash')[0]?.result(RAW.traces)
    expect(await reading).toMatchObject({ transactionCount: 3 })
  })

  test('like all the others ends the reading after half a minute', async () => {
    const silent = { eth_getBlockByHash: () => NEVER }
    Object.assign(nodes.answers, { a: silent, b: silent, c: silent })
    const tookMs = await passedMs(async () => {
      const failure = await failureOf(nodes.readInTime(RAW.ref, HEADER_ONLY, 'a'))
      expect(failure).toMatchObject({ code: 'upstream_timed_out' })
    })
    expect(tookMs).toBeLessThan(31 * SECOND)
  })

  test('is asked for nothing more once the block was found elsewhere', async () => {
    const many = rawBlock(Array.from({ length: 40 }, () => ({})))
    const slow: Answers = { ...serving(many), eth_getTransactionReceipt: () => NEVER }
    delete slow.eth_getBlockReceipts
    Object.assign(nodes.answers, { a: slow, b: serving(many) })
    expect(await nodes.readInTime(many.ref, RECEIPTS, 'a')).toMatchObject({ transactionCount: 40 })
    nodes.forget()
    for (const call of nodes.outbound.open('eth_getTransactionReceipt')) call.result(null)
    await nodes.clock.advance(SECOND)
    expect(nodes.askedByNode()).toEqual([])
    expect(nodes.told).toEqual([])
  })
})

describe('traces', () => {
  test('are asked of upstreams that are said to trace, and of others last', async () => {
    nodes.network.stop()
    nodes = await openBlockNetwork([{ name: 'plain' }, { name: 'tracing', traces: true }])
    Object.assign(nodes.answers, { plain: serving(RAW), tracing: serving(RAW) })
    await nodes.read(RAW.ref, ALL, 'plain')
    expect(askedForBlock()).toEqual(['tracing'])
    nodes.forget()
    await nodes.read(RAW.ref, RECEIPTS, 'plain')
    expect(askedForBlock()).toEqual(['plain'])
    nodes.forget()
    nodes.answers.tracing = { eth_getBlockByHash: () => new Status(502) }
    expect((await nodes.read(RAW.ref, ALL, 'plain'))?.traces).toHaveLength(4)
    expect(askedForBlock()).toEqual(['tracing', 'plain'])
  })

  test('are asked elsewhere where a node turns out not to trace', async () => {
    const plain: Answers = {
      ...serving(RAW),
      debug_traceTransaction: () => ({ gas: 1, structLogs: [] }),
    }
    delete plain.debug_traceBlockByHash
    nodes.answers.a = plain
    expect((await nodes.read(RAW.ref, ALL, 'a'))?.traces).toHaveLength(4)
    nodes.forget()
    await nodes.read(RAW.ref, ALL, 'a')
    expect(askedForBlock()).toEqual(['b'])
  })
})
