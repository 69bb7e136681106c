import { describe, expect, test } from 'bun:test'
import type { Header } from './block.ts'
import { headerAt, isStale, relationTo, withHeader } from './tail.ts'

const TAIL = [header(10), header(11), header(12)]

describe('what a head tells', () => {
  test.each([
    ['the tip again', header(12), true],
    ['a block below the tip, as a lagging node has it', header(11), true],
    ['a block below all that can change', header(9, 'b'), true],
    ['another block at a known height', header(11, 'b'), false],
    ['the next block', header(13), false],
    ['a block far above', header(20), false],
  ])('%s', (_, head, old) => {
    expect(isStale(TAIL, head)).toBe(old)
  })

  test('with nothing followed so far, every head is news', () => {
    expect(isStale([], header(5))).toBe(false)
  })
})

describe('where a branch joins', () => {
  test.each([
    ['on the tip', header(13), 'extends'],
    ['below the tip', header(12, 'b', 'a'), 'forks'],
    ['right above the lowest', header(11, 'b', 'a'), 'forks'],
    ['above the tip with blocks missing', header(15), 'unconnected'],
    ['above the tip, on a parent of its own', header(13, 'b'), 'unconnected'],
    ['at a known height, on a parent of its own', header(12, 'b'), 'unconnected'],
    ['at the lowest, which is another', header(11, 'b'), 'below_finality'],
    ['below the lowest', header(10, 'b'), 'below_finality'],
  ])('%s: %s', (_, oldest, relation) => {
    expect(relationTo(TAIL, oldest, false)).toBe(relation as ReturnType<typeof relationTo>)
  })

  test.each([
    ['at the lowest, which is another', header(11, 'b'), 'unconnected'],
    ['in place of the lowest', header(10, 'b'), 'forks'],
    ['below the lowest', header(9, 'b'), 'below_finality'],
  ])('%s, where that is the first block of all: %s', (_, oldest, relation) => {
    expect(relationTo(TAIL, oldest, true)).toBe(relation as ReturnType<typeof relationTo>)
  })
})

describe('a tail with one header more', () => {
  test('grows', () => {
    expect(withHeader(TAIL, header(13), 0, 100)).toEqual([...TAIL, header(13)])
  })

  test('loses what the header replaces and all above it', () => {
    const fork = header(11, 'b', 'a')
    expect(withHeader(TAIL, fork, 0, 100)).toEqual([header(10), fork])
  })

  test('lets go of what is final and of what is too old', () => {
    expect(withHeader(TAIL, header(13), 12, 100)).toEqual([header(12), header(13)])
    expect(withHeader(TAIL, header(13), 0, 2)).toEqual([header(12), header(13)])
  })

  test('begins with its first header', () => {
    expect(withHeader([], header(7), 0, 10)).toEqual([header(7)])
  })

  test('refuses a header that hangs in the air', () => {
    expect(() => withHeader(TAIL, header(14), 0, 10)).toThrow('linked')
    expect(() => withHeader(TAIL, header(13, 'b'), 0, 10)).toThrow('linked')
  })

  test('finds a header by its height', () => {
    expect(headerAt(TAIL, 11)).toEqual(header(11))
    expect(headerAt(TAIL, 13)).toBeUndefined()
    expect(headerAt([], 13)).toBeUndefined()
  })
})

/** Hashes tell fork and height; the parent is on the same fork unless said. */
function header(number: number, fork = 'a', parentFork = fork): Header {
  return { number, hash: `${fork}${number}`, parentHash: `${parentFork}${number - 1}` }
}
