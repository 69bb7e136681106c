import { describe, expect, test } from 'bun:test'
import { listChunks, rowChunks } from './row-chunks.ts'

describe('what is written in one statement', () => {
  test('nothing takes no statement', () => {
    expect(rowChunks([])).toEqual([])
    expect(listChunks([])).toEqual([])
  })

  test.each([1, 4, 19])('stays within what both engines allow for %d values a row', (width) => {
    const rows = Array.from({ length: 25_000 }, (_, index) => new Array(width).fill(index))
    const chunks = rowChunks(rows)
    expect(chunks.flat()).toEqual(rows)
    expect(chunks.every((chunk) => chunk.length * width <= 32_766)).toBe(true)
    expect(chunks.length).toBeLessThan((25_000 * width) / 5_000)
  })

  test('stays small for long texts, and one that is longer goes alone', () => {
    const [long, longer] = ['x'.repeat(6_000_000), 'y'.repeat(20_000_000)]
    const chunks = listChunks([long, long, long, longer, long])
    expect(chunks.map((chunk) => chunk.length)).toEqual([2, 1, 1, 1])
    expect(chunks.flat()).toEqual([long, long, long, longer, long])
  })
})
