import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { checkedBlock } from '../../../tests/support/product/assembled.ts'
import type { Block } from './block.ts'
import { quirksOf } from './quirks.ts'

/** Blocks of public chains, recorded from nodes; too big for the repository. */
const DATA = fileURLToPath(new URL('../../../../shared/data/', import.meta.url))

// biome-ignore lint/suspicious/noExplicitAny: recorded answers of nodes.
function recorded(file: string): any {
  const path = `${DATA}${file}.json`
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null
}

function assemble(folder: string, chainId: number, bend = (_parts: Parts) => {}): Block | string {
  const block = recorded(`${folder}/block`)
  const receipts = recorded(`${folder}/receipts`)
  const traces = recorded(`${folder}/callTracer`)
  const parts = { block, receipts, traces }
  bend(parts)
  const expected = { number: Number(block.number), hash: block.hash }
  const wants = { transactions: true, receipts: true, traces: traces !== null }
  return checkedBlock({ ...parts, expected, wants }, quirksOf(chainId))
}

// biome-ignore lint/suspicious/noExplicitAny: recorded answers of nodes.
type Parts = { block: any; receipts: any; traces: any }

const MAINNET = 'mainnet-25604144'

describe.if(existsSync(DATA))('recorded blocks', () => {
  test.each([
    ['a full block of 2026', MAINNET, 1, 284, 697, 1559],
    ['a block of 2023', 'blocks/ethereum/18500000', 1, 157, 408, 0],
    ['a block from before receipts had a status', 'blocks/ethereum/4369999', 1, 22, 171, 0],
    ['Arbitrum', 'blocks/arbitrum/150000000', 42_161, 5, 18, 0],
    ['Polygon', 'blocks/polygon/50000000', 137, 564, 877, 0],
    ['Hyperliquid', 'blocks/hyperliquid/50000', 999, 1, 0, 0],
  ])('%s is whole', (_title, folder, chainId, transactions, logs, traces) => {
    const block = assemble(folder, chainId) as Block
    expect([block.transactions.length, block.logs.length, block.traces.length]).toEqual([
      transactions,
      logs,
      traces,
    ])
  })

  test('a chain of the next fork is whole, though it counts gas in another way', () => {
    const { blocks } = recorded('next-fork/geth-1.17.8')
    const wants = { transactions: true, receipts: true, traces: true }
    const sizes = blocks.map((parts: Parts) => {
      const expected = { number: Number(parts.block.number), hash: parts.block.hash }
      const block = checkedBlock({ ...parts, expected, wants }, quirksOf(1337)) as Block
      return [block.transactions?.length, block.logs?.length, block.traces?.length]
    })
    expect(sizes.flat()).not.toContain(undefined)
    expect(sizes.slice(0, 4)).toEqual([
      [0, 0, 0],
      [0, 0, 0],
      [1, 0, 1],
      [6, 16, 11],
    ])
    const isOther = ({ block, receipts }: Parts) =>
      Number(block.gasUsed) !== Number(receipts.at(-1)?.cumulativeGasUsed ?? 0)
    expect(blocks.filter(isOther)).toHaveLength(12)
  })

  test.each([
    ['blocks/cronos/6541', '0 receipts for 1 transactions'],
    ['blocks/cronos/131465', '2 receipts for 3 transactions'],
  ])('%s, which Cronos broke, is refused', (folder, reason) => {
    expect(assemble(folder, 25)).toContain(reason)
  })

  test('a log that is missing, added or changed anywhere is noticed', () => {
    const bends: ((parts: Parts) => void)[] = [
      ({ receipts }) => receipts[0].logs.pop(),
      ({ receipts }) => (receipts[0].logs = []),
      ({ receipts }) => (receipts[0].logs[0].address = `0x${'1'.repeat(40)}`),
      ({ receipts }) => (receipts[0].logs[0].topics[1] = `0x${'1'.repeat(64)}`),
      ({ receipts }) => receipts[0].logs.push(receipts[1].logs[0]),
    ]
    for (const bend of bends) expect(typeof assemble(MAINNET, 1, bend)).toBe('string')
  })

  test('the paths of call frames are those of their tree', () => {
    const { traces } = assemble(MAINNET, 1) as Block
    const roots = traces.filter(({ path }) => path.length === 0)
    expect(roots.map(({ transaction }) => transaction.index)).toEqual(
      Array.from({ length: 284 }, (_, index) => index),
    )
    const below = traces.filter(({ path }) => path.length > 0)
    expect(below.every(({ path, transaction }) => path[0] === transaction.index)).toBe(true)
    expect(traces.reduce((sum, { subtraceCount }) => sum + subtraceCount, 0)).toBe(below.length)
  })
})
