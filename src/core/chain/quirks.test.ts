import { describe, expect, test } from 'bun:test'
import {
  bloomOf,
  type RawParts,
  type RawTransaction,
  rawBlock,
  rawLog,
  TOKEN,
  word,
} from '../../../tests/support/blocks/raw-block.ts'
import { checkedBlock } from '../../../tests/support/product/assembled.ts'
import { quirksOf } from './quirks.ts'

const ETHEREUM = 1
const POLYGON = 137
const ZKSYNC = 324
const HYPERLIQUID = 999
const CRONOS = 25
const MONAD = 143

const NOBODY = `0x${'0'.repeat(40)}`
const NO_BLOOM = `0x${'0'.repeat(512)}`
const STRANGE = `0x${'de'.repeat(20)}`

function verdict(chainId: number | undefined, { ref, block, receipts, traces }: RawParts): string {
  const wants = { transactions: true, receipts: true, traces: true }
  const parts = { expected: ref, wants, block, receipts, traces }
  const assembled = checkedBlock(parts, quirksOf(chainId))
  return typeof assembled === 'string' ? assembled : 'whole'
}

describe("Polygon's last transaction, which brings over what happened on Ethereum", () => {
  const stateSync = { from: NOBODY, to: NOBODY, logs: [rawLog(2, STRANGE)] }
  const usual = { logs: [rawLog(1)] }

  /** The header, and where asked the traces, know nothing of the transactions picked. */
  function blockWithout(specs: RawTransaction[], hidden: number, traced: boolean): RawParts {
    const raw = rawBlock(specs)
    const shown = raw.receipts.filter((_, at) => at !== hidden)
    raw.block.logsBloom = bloomOf(shown.flatMap(({ logs }) => logs))
    raw.block.gasUsed = shown.at(-1)?.cumulativeGasUsed ?? '0x0'
    if (!traced) raw.traces = raw.traces.filter((_, at) => at !== hidden)
    return raw
  }

  test('is in neither bloom, gas nor traces', () => {
    const raw = blockWithout([usual, usual, stateSync], 2, false)
    raw.receipts[2].cumulativeGasUsed = '0x0'
    expect(verdict(POLYGON, raw)).toBe('whole')
    expect(verdict(80_002, raw)).toBe('whole')
    expect(verdict(ETHEREUM, raw)).not.toBe('whole')
  })

  test('may be traced and counted too', () => {
    expect(verdict(POLYGON, blockWithout([usual, stateSync], 1, true))).toBe('whole')
    expect(verdict(POLYGON, rawBlock([usual, stateSync]))).toBe('whole')
  })

  test('may be the only one', () => {
    expect(verdict(POLYGON, blockWithout([stateSync], 0, false))).toBe('whole')
  })

  test('may be traced under another hash', () => {
    const raw = rawBlock([usual, stateSync])
    raw.traces[1].txHash = word('99')
    expect(verdict(POLYGON, raw)).toBe('whole')
  })

  test('is known by its type as well', () => {
    const typed = { ...usual, members: { type: '0x7f' }, logs: [rawLog(2, STRANGE)] }
    expect(verdict(POLYGON, blockWithout([usual, typed], 1, false))).toBe('whole')
  })

  test('is the only exception: nobody else may be missing', () => {
    expect(verdict(POLYGON, blockWithout([stateSync, usual], 0, false))).not.toBe('whole')
    expect(verdict(POLYGON, blockWithout([usual, usual], 1, false))).not.toBe('whole')
    const without = rawBlock([usual, stateSync])
    without.receipts.pop()
    expect(verdict(POLYGON, without)).toContain('1 receipts for 2 transactions')
    const none = { ...rawBlock([usual, stateSync]), traces: [] }
    expect(verdict(POLYGON, none)).toContain('0 traces for 2 transactions')
  })
})

describe('other chains', () => {
  test("ZKsync's empty bloom, empty sums and logs of no transaction are taken", () => {
    const raw = rawBlock([{ logs: [rawLog(1)] }, {}])
    raw.block.logsBloom = NO_BLOOM
    for (const receipt of raw.receipts) receipt.cumulativeGasUsed = '0x0'
    raw.receipts[0].logs[0].transactionHash = word('00')
    expect(verdict(ZKSYNC, raw)).toBe('whole')
    expect(verdict(ETHEREUM, raw)).not.toBe('whole')
    raw.receipts[0].logs[0].transactionHash = word('99')
    expect(verdict(ZKSYNC, raw)).toContain('another transactionHash')
  })

  test("Hyperliquid's transactions without a price may be in no bloom, wherever they stand", () => {
    const free = { members: { gasPrice: '0x0' }, logs: [rawLog(2, STRANGE)] }
    const raw = rawBlock([free, { logs: [rawLog(1, TOKEN)] }])
    raw.block.logsBloom = bloomOf(raw.receipts[1].logs)
    raw.traces.shift()
    expect(verdict(HYPERLIQUID, raw)).toBe('whole')
    expect(verdict(POLYGON, raw)).not.toBe('whole')
  })

  test("Cronos's log indexes may repeat, but no receipt may be missing", () => {
    const raw = rawBlock([{ logs: [rawLog(1)] }, { logs: [rawLog(1)] }])
    raw.receipts[1].logs[0].logIndex = '0x0'
    expect(verdict(CRONOS, raw)).toBe('whole')
    expect(verdict(ETHEREUM, raw)).toContain('logIndex')
    raw.receipts.pop()
    expect(verdict(CRONOS, raw)).toContain('1 receipts for 2 transactions')
  })

  test("Monad's bloom may be empty, but not wrong", () => {
    const raw = rawBlock([{ logs: [rawLog(1)] }])
    raw.block.logsBloom = NO_BLOOM
    expect(verdict(MONAD, raw)).toBe('whole')
    raw.block.logsBloom = bloomOf([rawLog(1, STRANGE)])
    expect(verdict(MONAD, raw)).not.toBe('whole')
  })

  test.each([
    ['Arbitrum', 42_161, { members: { type: '0x6a', gas: '0x0', gasPrice: '0x0' } }],
    ['Optimism', 10, { members: { type: '0x7e', mint: '0x1', isSystemTx: false, v: null } }],
    ['Base', 8453, { members: { type: '0x7e', sourceHash: word('11'), gasPrice: '0x0' } }],
    ['BNB', 56, { members: { gasPrice: '0x0' } }],
  ])('%s is held to the usual rules, its own transactions included', (_name, chainId, own) => {
    const usual = { logs: [rawLog(1)] }
    expect(verdict(chainId, rawBlock([own, usual]))).toBe('whole')
    const short = rawBlock([own, usual])
    short.traces.shift()
    expect(verdict(chainId, short)).toContain('1 traces for 2 transactions')
    const dark = rawBlock([own, usual])
    dark.block.logsBloom = NO_BLOOM
    expect(verdict(chainId, dark)).not.toBe('whole')
  })

  test('a chain that nobody named is held to the usual rules', () => {
    expect(quirksOf(undefined)).toEqual(quirksOf(ETHEREUM))
    expect(Object.values(quirksOf(ETHEREUM))).toEqual([false, false, false, 'none'])
  })
})
