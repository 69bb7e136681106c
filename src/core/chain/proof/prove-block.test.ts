import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  type Changeable,
  memberChanges,
} from '../../../../tests/support/product/changed-members.ts'
import amsterdam from '../../../../tests/support/proofs/amsterdam.json'
import eachType from '../../../../tests/support/proofs/each-type.json'
import { assembleBlock } from '../assemble-block.ts'
import { openBloomBits } from '../logs-bloom.ts'
import { NO_QUIRKS } from '../quirks.ts'
import { isQuickProof } from './is-quick-proof.ts'
import { type Proof, proveBlock, proveHeader } from './prove-block.ts'

type Block = Changeable & { hash: string; number: string; transactions: Changeable[] }
type Receipt = Changeable & { logs: Changeable[] }
type Recorded = { block: Block; receipts: Receipt[] }

/** Blocks of public chains, recorded from nodes; too big for the repository. */
const DATA = fileURLToPath(new URL('../../../../../shared/data/', import.meta.url))
const MAINNET = 'mainnet-25604144'

/** The hash covers neither, and no query of a proven block shows them. */
const SIZE = '.block.size'
const UNCOVERED = ['.block.totalDifficulty', SIZE]

/** One block of the embedded chain, with a transaction of each type that it has. */
const made = (): Recorded => structuredClone(eachType) as unknown as Recorded

const known = openBloomBits()

function recorded(folder: string): Recorded {
  const read = (file: string) => JSON.parse(readFileSync(`${DATA}${folder}/${file}.json`, 'utf8'))
  return { block: read('block'), receipts: read('receipts') }
}

function prove({ block, receipts }: Recorded, hash: string, options = {}): Proof {
  const parts = { hash, block, receipts, hasReceipts: true, hasTransactions: true }
  return proveBlock({ ...parts, hasSenders: true, ...options }, known)
}

/** The changes of members that go unnoticed. Senders are recovered where one was changed. */
function unnoticed(one: Recorded, isTried = (_path: string) => true): string[] {
  const { hash } = one.block
  const expected = { number: Number(one.block.number), hash }
  const wants = { transactions: true, receipts: true, traces: false }
  return memberChanges(one).flatMap(({ path, change, restore }) => {
    if (!isTried(path)) return []
    change()
    const hasSenders = /transactions\[\d+\]\.from$/.test(path)
    const whole = assembleBlock({ expected, wants, ...one, traces: null }, NO_QUIRKS)
    const isRefused =
      typeof whole === 'string' || prove(one, hash, { hasSenders }).kind !== 'proven'
    restore()
    return isRefused ? [] : [path]
  })
}

describe('a block of the embedded chain', () => {
  test('is proven, whatever the case of its digits', () => {
    expect(prove(made(), made().block.hash)).toEqual({ kind: 'proven' })
    const upper = JSON.parse(
      JSON.stringify(made()).replace(/"0x([0-9a-f]*)"/g, (_, digits) => {
        return `"0x${digits.toUpperCase()}"`
      }),
    )
    expect(prove(upper, made().block.hash)).toEqual({ kind: 'proven' })
  })

  test('is refused when any digit of any member is another', () => {
    expect(unnoticed(made())).toEqual(UNCOVERED)
  })

  test('is refused when something is missing, added or in another order', () => {
    const bends: ((one: Recorded) => void)[] = [
      ({ receipts }) => receipts.pop(),
      ({ receipts }) => receipts.reverse(),
      ({ receipts }) => receipts[3]?.logs.pop(),
      ({ receipts }) => receipts[3]?.logs.push({ ...receipts[3].logs[0] }),
      ({ receipts }) => delete receipts[0]?.cumulativeGasUsed,
      ({ block }) => block.transactions.pop(),
      ({ block }) => block.transactions.push({ ...block.transactions[0] }),
      ({ block }) => (block.withdrawals = [{ index: '0x1', validatorIndex: '0x1' }]),
      ({ block }) => delete block.requestsHash,
      ({ block }) => (block.transactions = 'none' as never),
      ({ block }) => (block.transactions[0] = null as never),
      ({ block }) => (block.withdrawals = null),
    ]
    for (const bend of bends) {
      const one = made()
      bend(one)
      expect(prove(one, made().block.hash).kind).toBe('refuted')
    }
  })

  test('is proven as far as it was read', () => {
    const { block, receipts } = made()
    const changed = { block, receipts: receipts.slice(1) }
    expect(prove(changed, block.hash, { hasReceipts: false }).kind).toBe('proven')
    block.transactions[0] = { ...block.transactions[0], from: `0x${'12'.repeat(20)}` }
    const parts = { hasReceipts: false, hasSenders: false }
    expect(prove({ block, receipts }, block.hash, parts).kind).toBe('proven')
    expect(prove({ block, receipts }, block.hash, { hasReceipts: false })).toEqual({
      kind: 'refuted',
      reason: 'transaction 0 has another from',
    })
  })

  test('is proven from receipts without blooms, which follow from the logs', () => {
    const one = made()
    for (const receipt of one.receipts) delete receipt.logsBloom
    expect(prove(one, one.block.hash).kind).toBe('proven')
  })
})

describe("go-ethereum's blocks of the Amsterdam fork", () => {
  const blocks = () =>
    structuredClone(amsterdam.blocks).map(({ block, receipts }) => ({
      block,
      receipts,
    })) as unknown as Recorded[]
  const [, busy = made()] = blocks()
  test('are proven, though gas is counted in another way', () => {
    for (const one of blocks()) {
      expect(one.block.gasUsed).not.toBe(one.receipts.at(-1)?.cumulativeGasUsed)
      expect(prove(one, one.block.hash)).toEqual({ kind: 'proven' })
    }
  })

  test('are refused when any digit of any member is another', () => {
    expect(unnoticed(busy)).toEqual([SIZE])
  })
})

describe('what this version does not know', () => {
  test('is told apart from what is wrong', () => {
    const { hash } = made().block
    const forked = made()
    Object.assign(forked.block, { newRoot: '0x01', stateRoot: `0x${'5'.repeat(64)}` })
    expect(prove(forked, hash)).toEqual({
      kind: 'unknown_form',
      reason: 'the header has an unknown member newRoot',
    })
    const typed = made()
    Object.assign(typed.block.transactions[1] ?? {}, { type: '0x9' })
    expect(prove(typed, hash).kind).toBe('unknown_form')
  })

  test('may also lack a member that this version needs', () => {
    const { logsBloom: _, ...block } = made().block
    expect(proveHeader({ ...block, newRoot: '0x01' }, block.hash)).toEqual({
      kind: 'unknown_form',
      reason: 'the header has an unknown member newRoot',
    })
    expect(proveHeader(block, block.hash).kind).toBe('refuted')
  })

  test('is no reason to doubt a header whose hash comes out', () => {
    const { block } = made()
    expect(proveHeader({ ...block, newRoot: '0x01' }, block.hash).kind).toBe('proven')
    expect(proveHeader({ ...block, 'a name of <text>': 1, stateRoot: '0x' }, block.hash)).toEqual({
      kind: 'refuted',
      reason: 'a member stateRoot is not of its form, or not of its place',
    })
  })
})

test('what is no block is refused without an exception', () => {
  const hash = `0x${'1'.repeat(64)}`
  for (const block of [null, [], 7, {}, { transactions: {} }, { withdrawals: 7 }]) {
    const parts = { hash, block, receipts: 'x', hasReceipts: true, hasTransactions: true }
    expect(proveBlock({ ...parts, hasSenders: true }).kind).not.toBe('proven')
    expect(isQuickProof({ ...parts, hasSenders: true })).toBe(true)
  }
})

describe.if(existsSync(DATA))('recorded blocks', () => {
  test.each([MAINNET, 'blocks/ethereum/18500000', 'blocks/ethereum/4369999'])(
    '%s is proven',
    (folder) => {
      const one = recorded(folder)
      expect(prove(one, one.block.hash)).toEqual({ kind: 'proven' })
    },
  )

  test('the whole chain of the next fork is proven', () => {
    const { blocks } = JSON.parse(readFileSync(`${DATA}next-fork/geth-1.17.8.json`, 'utf8'))
    expect(blocks).toHaveLength(15)
    for (const one of blocks) {
      expect(prove(one, one.block.hash)).toEqual({ kind: 'proven' })
    }
  })

  test('any digit of the header, or of one of each kind of part, being another is noticed', () => {
    const one = recorded(MAINNET)
    const seen = new Set<string>()
    const isFirst = (path: string) => {
      const at = Number(/(?:transactions|receipts)\[(\d+)\]/.exec(path)?.[1] ?? -1)
      const kind = `${one.block.transactions[at]?.type} ${path.replaceAll(/\[\d+\]/g, '')}`
      return !seen.has(kind) && seen.add(kind).size > 0
    }
    expect(unnoticed(one, isFirst)).toEqual([SIZE])
    expect(seen.size).toBeGreaterThan(200)
  })
})
