import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { archiveCall } from './archive-calls.ts'
import { openArchiveFile, setAside, UnavailableArchive, UnusableArchive } from './archive-file.ts'
import { type CapturedBlock, type ChainArchive, openChainArchive } from './chain-archive.ts'

const BLOCKS_MAX = 5
/** As many as are forgotten at once, and the blocks that stay. */
const TOP = 1_005

const ADDRESS = `0x${'ab'.repeat(20)}`
const BALANCE = { address: ADDRESS, part: 'balance' as const }
const CODE = { address: ADDRESS, part: 'code' as const }

let folder: string
let archive: ChainArchive

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headgate-archive-'))
  archive = openChainArchive(openArchiveFile(folder), BLOCKS_MAX)
})
afterEach(() => {
  archive.close()
  rmSync(folder, { recursive: true })
})

const hashOf = (kind: number, number: number) => `0x${word(kind * 1_000_000 + number)}`

test('blocks of long ago are forgotten, and the state that still holds is not', () => {
  archive.append(
    blocks(0, TOP - 1, (number) => (number === 2 ? [{ ...CODE, value: '0x00ff' }] : [])),
  )
  archive.prune()
  expect(archive.blocks.lowest()).toBe(0)

  archive.append(blocks(TOP, TOP, () => []))
  archive.prune()
  expect(archive.blocks.lowest()).toBe(TOP - BLOCKS_MAX)
  expect(archive.blocks.block(0)?.hash).toBe(hashOf(1, 0))
  expect(archive.blocks.block(7)).toBeNull()
  expect(archive.blocks.blockWith(hashOf(2, 7))).toBeNull()
  expect(archive.blocks.blockWith(hashOf(2, TOP))?.hash).toBe(hashOf(1, TOP))
  for (const height of [TOP - BLOCKS_MAX, TOP]) {
    expect(archive.state.at(BALANCE, height)).toBe(`0x0${height.toString(16)}`)
    expect(archive.state.at(CODE, height)).toBe('0x00ff')
  }
})

test('blocks that are taken back go with their transactions and their state', () => {
  archive.append(blocks(0, 9, () => []))
  archive.forgetAbove(4)
  expect(archive.blocks.head()).toEqual({ number: 4, hash: hashOf(1, 4) })
  expect(archive.blocks.block(hashOf(1, 5))).toBeNull()
  expect(archive.blocks.blockWith(hashOf(2, 5))).toBeNull()
  expect(archive.state.at(BALANCE, 9)).toBe('0x04')
  archive.append(blocks(5, 6, () => []))
  expect(archive.highest()).toBe(9)
  expect(archive.state.at(BALANCE, 9)).toBe('0x06')
})

test('either all blocks of one step are written, or none', () => {
  archive.append(blocks(0, 3, () => []))
  expect(() => archive.append([...blocks(4, 5, () => []), ...blocks(2, 2, () => [])])).toThrow()
  expect(archive.blocks.head()?.number).toBe(3)
  expect(archive.state.at(BALANCE, 9)).toBe('0x03')
})

test('a node that ends at a block knows nothing of later ones', () => {
  archive.append(blocks(0, 9, () => []))
  const node = { archive, chainId: 31_337, height: 4 }
  const ask = (method: string, ...params: unknown[]) => archiveCall(node, { id: 1, method, params })
  expect(ask('eth_blockNumber')).toMatchObject({ result: '0x4' })
  expect(ask('eth_getBlockByNumber', '0x5', false)).toMatchObject({ result: null })
  expect(ask('eth_getBlockByHash', hashOf(1, 5), false)).toMatchObject({ result: null })
  expect(ask('eth_getTransactionByHash', hashOf(2, 5))).toMatchObject({ result: null })
  expect(ask('eth_getTransactionReceipt', hashOf(2, 5))).toMatchObject({ result: null })
  expect(ask('eth_getTransactionReceipt', hashOf(2, 4))).toMatchObject({
    result: { transactionHash: hashOf(2, 4) },
  })
  expect(ask('eth_getLogs', { fromBlock: '0x3', toBlock: '0x9' })).toMatchObject({
    result: [{ data: '0x3' }, { data: '0x4' }],
  })
})

test.each([
  ['a method that is not kept', { id: 1, method: 'eth_getProof', params: [] }],
  ['a method that is none', { id: 1, method: '__proto__' }],
  ['nothing', null],
  ['a number', 7],
])('%s is an error', (_title, call) => {
  const node = { archive, chainId: 31_337, height: 0 }
  expect(archiveCall(node, call)).toMatchObject({ error: { code: -32601 } })
})

test('one process alone has an archive, and a file of another kind is none', () => {
  expect(() => openArchiveFile(folder, 0)).toThrow(UnavailableArchive)
  archive.close()
  const connection = openArchiveFile(folder)
  connection.run('PRAGMA application_id = 7')
  connection.close()
  expect(() => openArchiveFile(folder)).toThrow(UnusableArchive)

  const path = setAside(folder)
  expect(existsSync(path)).toBe(true)
  archive = openChainArchive(openArchiveFile(folder))
  expect(archive.blocks.head()).toBeNull()
})

/** Blocks with a transaction and a log each, whose balance is their number. */
function blocks(
  from: number,
  to: number,
  more: (number: number) => CapturedBlock['changes'],
): CapturedBlock[] {
  return Array.from({ length: to - from + 1 }, (_, at) => {
    const number = from + at
    const hash = hashOf(2, number)
    const log = { address: ADDRESS, topics: [], data: `0x${number.toString(16)}` }
    return {
      block: {
        number: `0x${number.toString(16)}`,
        hash: hashOf(1, number),
        parentHash: hashOf(1, number - 1),
        timestamp: '0x1',
        transactions: [{ hash, type: '0x2' }],
      },
      receipts: [{ transactionHash: hash, logs: [log] }],
      changes: [{ ...BALANCE, value: `0x${number.toString(16)}` }, ...more(number)],
    }
  })
}

function word(value: number): string {
  return Math.max(0, value).toString(16).padStart(64, '0')
}
