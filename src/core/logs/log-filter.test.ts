import { describe, expect, test } from 'bun:test'
import { blocksScanned, parseLogFilter, pieceParams, rangeOf } from './log-filter.ts'

const A = `0x${'aA'.repeat(20)}`
const B = `0x${'0b'.repeat(20)}`
const T = `0x${'Cc'.repeat(32)}`
const U = `0x${'0d'.repeat(32)}`
const HEAD = { number: 1000, finalized: 900 }

describe('a filter by range', () => {
  test.each([
    ['nothing at all', {}, { from: 'latest', to: 'latest', addresses: null, topics: [] }],
    ['null members', { address: null, topics: null, fromBlock: null }, { from: 'latest' }],
    ['an address', { address: A }, { addresses: [A.toLowerCase()] }],
    [
      'addresses, each once',
      { address: [A, B, A.toLowerCase()] },
      { addresses: [B, A.toLowerCase()] },
    ],
    ['no address of a list', { address: [] }, { addresses: null }],
    [
      'topics',
      { topics: [T, null, [U, T]] },
      { topics: [[T.toLowerCase()], null, [U, T.toLowerCase()]] },
    ],
    ['anything among alternatives', { topics: [[T, null], []] }, { topics: [null, null] }],
    ['tags', { fromBlock: 'earliest', toBlock: 'finalized' }, { from: 0, to: 'finalized' }],
    ['heights', { fromBlock: '0x0a', toBlock: '0xFF' }, { from: 10, to: 255 }],
  ])('is understood: %s', (_what, filter, parts) => {
    expect(parseLogFilter([filter])).toMatchObject(parts)
  })

  test.each([
    ['no params', []],
    ['two params', [{}, {}]],
    ['a text', ['0x1']],
    ['a list', [[]]],
    ['null', [null]],
    ['a block hash', [{ blockHash: T }]],
    ['another member', [{ limit: 1 }]],
    ['a member of the prototype', [JSON.parse('{"__proto__": {"fromBlock": "0x1"}}')]],
    ['pending', [{ toBlock: 'pending' }]],
    ['a number', [{ fromBlock: 5 }]],
    ['decimal digits', [{ fromBlock: '12' }]],
    ['a height beyond 52 bits', [{ fromBlock: '0xffffffffffffffff' }]],
    ['an object as a height', [{ fromBlock: { blockNumber: '0x1' } }]],
    ['words as an address', [{ address: 'block range too large' }]],
    ['a list of lists of addresses', [{ address: [[A]] }]],
    ['a topic too short', [{ topics: ['0xcc'] }]],
    ['five topics', [{ topics: [T, T, T, T, T] }]],
    ['topics that are no list', [{ topics: T }]],
    ['lists in lists in topics', [{ topics: [[[T]]] }]],
    ['more alternatives than can be split', [{ topics: [Array(10_001).fill(T)] }]],
  ])('is not: %s', (_what, params) => {
    expect(parseLogFilter(params)).toBeNull()
  })

  test.each([
    [{ fromBlock: '0x0' }, { from: 0, to: 1000 }],
    [
      { fromBlock: '0x0', toBlock: '0xffff' },
      { from: 0, to: 1000 },
    ],
    [
      { fromBlock: 'finalized', toBlock: 'safe' },
      { from: 900, to: 950 },
    ],
    [{ fromBlock: '0x20', toBlock: '0x10' }, null],
    [{ fromBlock: '0x3e9' }, null],
  ])('%j means %j', (filter, range) => {
    const parsed = parseLogFilter([filter])
    expect(parsed && rangeOf(parsed, HEAD, 950)).toEqual(range)
  })

  test('means nothing where a tag is not known', () => {
    const parsed = parseLogFilter([{ fromBlock: '0x0', toBlock: 'finalized' }])
    expect(parsed && rangeOf(parsed, { number: 1000, finalized: null }, null)).toBeNull()
  })

  test('is asked for in pieces in the words of any node', () => {
    const piece = { from: 16, to: 31, addresses: [A], topics: [null, [T, U]] }
    expect(pieceParams(piece)).toEqual([
      { fromBlock: '0x10', toBlock: '0x1f', address: A, topics: [null, [T, U]] },
    ])
    const open = { from: 0, to: 0, addresses: null, topics: [] }
    expect(pieceParams(open)).toEqual([{ fromBlock: '0x0', toBlock: '0x0' }])
  })
})

describe('the blocks that a call scans', () => {
  test.each([
    [[{ fromBlock: '0x0' }], 1001],
    [[{ fromBlock: '0x1', toBlock: '0x64', limit: 'x' }], 100],
    [[{ fromBlock: '0x0', toBlock: '0xffffffffff' }], 1001],
    [[{ fromBlock: 'earliest', toBlock: 'finalized' }], 901],
    [[{ fromBlock: 'earliest', toBlock: 'pending' }], 1001],
    [[{ fromBlock: '0x20', toBlock: '0x10' }], 1],
    [[{ blockHash: T, fromBlock: '0x0' }], 1],
    [[{}], 1],
    [[], 1],
    [['0x0'], 1],
  ])('%j: %d', (params, blocks) => {
    expect(blocksScanned(params, HEAD)).toBe(blocks)
  })

  test('is one where no head is known', () => {
    expect(blocksScanned([{ fromBlock: '0x0' }], null)).toBe(1)
  })
})
