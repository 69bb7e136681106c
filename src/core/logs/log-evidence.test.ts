import { describe, expect, test } from 'bun:test'
import { addToBloom, BLOOM_BYTES, openBloomBits } from '../chain/logs-bloom.ts'
import { blocksToCheck, evidenceOf, logHeaderIn, looksCutOff } from './log-evidence.ts'
import { NO_LOGS } from './log-list.ts'

const A = `0x${'aa'.repeat(20)}`
const B = `0x${'bb'.repeat(20)}`
const T = `0x${'cc'.repeat(32)}`
const U = `0x${'dd'.repeat(32)}`
const known = openBloomBits()
const bloom = new Uint8Array(BLOOM_BYTES)
for (const key of [A, T]) addToBloom(bloom, key, known)

describe('the bloom of a block', () => {
  test.each([
    ['perhaps', null, []],
    ['perhaps', [A], []],
    ['perhaps', [B, A], [null, [U, T]]],
    ['none', [B], []],
    ['none', [A], [[U]]],
    ['none', null, [[T], [U]]],
  ] as const)('says %s about %j %j', (evidence, addresses, topics) => {
    expect(evidenceOf(bloom, { addresses, topics }, known, false)).toBe(evidence)
  })

  test('says nothing where the chain keeps none', () => {
    const anything = { addresses: null, topics: [] }
    const zero = new Uint8Array(BLOOM_BYTES)
    expect(evidenceOf(zero, anything, known, false)).toBe('none')
    expect(evidenceOf(zero, anything, known, true)).toBe('silent')
    expect(evidenceOf(null, anything, known, false)).toBe('silent')
  })

  test('is read from a header, if it is one', () => {
    const header = { number: '0x1', hash: T, parentHash: U }
    const logsBloom = `0x${bloom.toHex()}`
    expect(logHeaderIn({ ...header, logsBloom })?.bloom).toEqual(bloom)
    for (const odd of [undefined, null, '0x', '0xzz', `${logsBloom}00`, 7]) {
      expect(logHeaderIn({ ...header, logsBloom: odd })?.bloom).toBeNull()
    }
    expect(logHeaderIn(null)).toBeNull()
  })
})

describe('the blocks that are looked at', () => {
  test('are those without logs, spread over the piece, the last one first', () => {
    expect(blocksToCheck({ from: 0, to: 9 }, NO_LOGS, 3)).toEqual([9, 6, 3])
    expect(blocksToCheck({ from: 0, to: 2 }, NO_LOGS, 8)).toEqual([2, 1, 0])
    const marks = [{ block: 2, index: 0, blockHash: T }]
    expect(blocksToCheck({ from: 0, to: 2 }, { text: '', marks }, 8)).toEqual([1, 0])
  })

  test.each([
    [999, false],
    [1000, true],
    [1024, true],
    [1001, false],
    [10_000, true],
    [500, false],
  ])('a list of %d logs may have been cut off: %p', (length, isCutOff) => {
    const marks = Array.from({ length }, (_, index) => ({ block: 1, index, blockHash: T }))
    expect(looksCutOff({ text: '', marks })).toBe(isCutOff)
  })
})
