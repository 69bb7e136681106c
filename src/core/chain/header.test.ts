import { describe, expect, test } from 'bun:test'
import { headerIn } from './header.ts'

const HASH = `0x${'Ab'.repeat(32)}`
const PARENT = `0x${'Cd'.repeat(32)}`
const GOOD = { number: '0x10', hash: HASH, parentHash: PARENT, timestamp: '0x1', transactions: [] }

describe('the header in a block', () => {
  test('is its number and both hashes, in lower case', () => {
    expect(headerIn(GOOD)).toEqual({
      number: 16,
      hash: HASH.toLowerCase(),
      parentHash: PARENT.toLowerCase(),
    })
  })

  test.each([
    ['nothing', null],
    ['no object', 'block'],
    ['a list', [GOOD]],
    ['no number', { ...GOOD, number: undefined }],
    ['a pending block', { ...GOOD, number: null, hash: null }],
    ['a number in decimals', { ...GOOD, number: '16' }],
    ['a number that is one', { ...GOOD, number: 16 }],
    ['a number beyond all heights', { ...GOOD, number: `0x${'f'.repeat(64)}` }],
    ['a short hash', { ...GOOD, hash: '0x12' }],
    ['a long hash', { ...GOOD, hash: `${HASH}00` }],
    ['a hash with a line after it', { ...GOOD, hash: `${HASH}\n` }],
    ['a hash of other letters', { ...GOOD, hash: `0x${'zz'.repeat(32)}` }],
    ['no parent', { ...GOOD, parentHash: undefined }],
    ['a parent that is an object', { ...GOOD, parentHash: { hash: PARENT } }],
  ])('is none with %s', (_title, block) => {
    expect(headerIn(block)).toBeNull()
  })
})
