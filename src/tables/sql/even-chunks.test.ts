import { expect, test } from 'bun:test'
import { evenChunks } from './even-chunks.ts'

test.each([
  [[], []],
  [['a'], [['a']]],
  [['a', 'b', 'c'], [['a', 'b', 'c', 'c']]],
  [
    ['a', 'b', 'c', 'd', 'e'],
    [['a', 'b', 'c', 'd'], ['e']],
  ],
  [
    ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
    [
      ['a', 'b', 'c', 'd'],
      ['e', 'f', 'g', 'g'],
    ],
  ],
])('%j is cut into pieces of few lengths', (all, chunks) => {
  expect(evenChunks(all, 4)).toEqual(chunks)
})

test('whatever the length, nothing is left out and the sizes are few', () => {
  const sizes = new Set<number>()
  for (let length = 0; length <= 300; length++) {
    const all = Array.from({ length }, (_, at) => at)
    const chunks = evenChunks(all, 64)
    expect([...new Set(chunks.flat())]).toEqual(all)
    for (const chunk of chunks) sizes.add(chunk.length)
  }
  expect([...sizes].sort((a, b) => a - b)).toEqual([1, 2, 4, 8, 16, 32, 64])
})

test('a length that is no power of two is refused', () => {
  expect(() => evenChunks(['a'], 3)).toThrow('powers of two')
})
