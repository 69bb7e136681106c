import { describe, expect, test } from 'bun:test'
import {
  type Changeable,
  memberChanges,
} from '../../../../tests/support/product/changed-members.ts'
import amsterdam from '../../../../tests/support/proofs/amsterdam.json'
import eachType from '../../../../tests/support/proofs/each-type.json'
import { assembleBlock } from '../assemble-block.ts'
import { NO_QUIRKS } from '../quirks.ts'
import { contentDigest } from './content-digest.ts'

type Recorded = { block: Changeable & { transactions: Changeable[] }; receipts: Changeable[] }

const recorded = (): Recorded => structuredClone(eachType) as unknown as Recorded

/** Null where the block is refused anyway. */
function digestOf({ block, receipts }: Recorded): string | null {
  const expected = { number: Number(block.number), hash: String(block.hash) }
  const wants = { transactions: true, receipts: true, traces: false }
  const whole = assembleBlock({ expected, wants, block, receipts, traces: null }, NO_QUIRKS)
  return typeof whole === 'string' ? null : contentDigest(whole)
}

const USUAL = digestOf(recorded())

describe('the digest of a block', () => {
  test.each<[string, (one: Recorded) => void]>([
    ['unknown members', ({ block }) => Object.assign(block, { newRoot: '0x01' })],
    ['another size', ({ block }) => Object.assign(block, { size: '0x1' })],
    ['a total difficulty', ({ block }) => Object.assign(block, { totalDifficulty: '0x77' })],
    ['leading zeros', ({ block }) => Object.assign(block, { gasUsed: pad(block.gasUsed) })],
    ['null for nothing', ({ block }) => Object.assign(block, { slotNumber: null })],
    ['no list for an empty one', ({ block }) => delete block.withdrawals],
    ['no type for a legacy one', ({ block }) => delete block.transactions[0]?.type],
    [
      'a time with each part',
      ({ receipts }) => Object.assign(receipts[0] ?? {}, { blockTimestamp: '0x1' }),
    ],
    ['another order of members', reverseMembers],
  ])('is the same with %s', (_title, change) => {
    const one = recorded()
    change(one)
    expect(digestOf(one)).toBe(USUAL)
  })

  test('is the same in upper case', () => {
    const text = JSON.stringify(recorded()).replace(/"0x([0-9a-f]*)"/g, (_, digits) => {
      return `"0x${digits.toUpperCase()}"`
    })
    expect(digestOf(JSON.parse(text))).toBe(USUAL)
  })

  test('is the same for a failed creation with or without an address', () => {
    const failed = recorded()
    for (const receipt of failed.receipts) Object.assign(receipt, { status: '0x0' })
    const named = structuredClone(failed)
    for (const one of named.receipts)
      Object.assign(one, { contractAddress: `0x${'12'.repeat(20)}` })
    expect(digestOf(named)).toBe(digestOf(failed))
    expect(digestOf(failed)).not.toBe(USUAL)
  })

  test.each([
    ['each type', eachType],
    ['Amsterdam', amsterdam.blocks[1]],
  ])('is another when any digit that a query sees is another: %s', (_title, source) => {
    const { block, receipts } = structuredClone(source) as unknown as Recorded
    const one = { block, receipts }
    const usual = digestOf(one)
    const unseen = memberChanges(one).flatMap(({ path, change, restore }) => {
      change()
      const isSame = digestOf(one) === usual
      restore()
      return isSame ? [path.replaceAll(/\[\d+\]/g, '')] : []
    })
    expect([...new Set(unseen)].filter((path) => !UNSEEN.test(path))).toEqual([])
  })
})

/** Members that no query sees: covered by roots, derived from others, or nodes' additions. */
const UNSEEN =
  /\.(sha3Uncles|size|uncles|totalDifficulty|parentBeaconBlockRoot|requestsHash|chainId|yParity|blockTimestamp|authorizationList\..*|authorizationList)$|^\.receipts\.(from|to|type|logsBloom|blobGasUsed|blobGasPrice|root)$|removed$|^\.receipts\.contractAddress$/

const pad = (value: unknown) => String(value).replace('0x', '0x000')

function reverseMembers({ block }: Recorded): void {
  block.transactions = block.transactions.map(reversed)
}

function reversed(transaction: Changeable): Changeable {
  const members = Object.entries(transaction).reverse()
  return Object.fromEntries(members.map(([name, value]) => [name, swapped(value)]))
}

/** Access list entries with their members in another order. */
function swapped(value: unknown): unknown {
  if (!Array.isArray(value)) return value
  return value.map((one) => (typeof one === 'object' ? reversed(one) : one))
}
