import { describe, expect, test } from 'bun:test'
import type { LogPiece } from './log-filter.ts'
import { pieceEnd, rangesToCompare, splitBlocksTo, splitKeys, splitPiece } from './split-piece.ts'

const WHOLE: LogPiece = { from: 10, to: 19, addresses: ['a', 'b', 'c'], topics: [null, ['t', 'u']] }

/** Every block with every address and topic that a piece asks for. */
function cellsOf({ from, to, addresses, topics }: LogPiece): string[] {
  const blocks = Array.from({ length: to - from + 1 }, (_, at) => from + at)
  return blocks.flatMap((block) =>
    (addresses ?? ['*']).flatMap((address) =>
      (topics[1] ?? ['*']).map((topic) => `${block} ${address} ${topic}`),
    ),
  )
}

describe('pieces', () => {
  test('are split by blocks, then by addresses, then by topics, until one of each is left', () => {
    const waiting = [WHOLE]
    const last: LogPiece[] = []
    const shapes: string[] = []
    for (let piece = waiting.shift(); piece; piece = waiting.shift()) {
      const halves = splitPiece(piece)
      if (!halves) last.push(piece)
      waiting.push(...(halves ?? []))
      const blocks = piece.to - piece.from + 1
      shapes.push(`${blocks} ${piece.addresses?.length} ${piece.topics[1]?.length}`)
    }
    expect(last.flatMap(cellsOf).toSorted()).toEqual(cellsOf(WHOLE).toSorted())
    expect(last.every((piece) => cellsOf(piece).length === 1)).toBe(true)
    expect(shapes.indexOf('1 2 2')).toBeGreaterThan(shapes.lastIndexOf('2 3 2'))
    expect(shapes).not.toContain('1 3 1')
  })

  test.each([[1], [2], [3], [4], [7], [1000]])('of at most %d blocks', (blocksMax) => {
    const parts = splitBlocksTo(WHOLE, blocksMax) ?? []
    expect(parts.flatMap(cellsOf)).toEqual(cellsOf(WHOLE))
    expect(parts.length).toBeGreaterThan(1)
    expect(parts.every(({ from, to }) => to - from + 1 <= Math.min(blocksMax, 5))).toBe(true)
  })

  test('of one block and anything are as small as can be', () => {
    const open = { from: 7, to: 7, addresses: null, topics: [null, ['t']] }
    expect(splitPiece(open)).toBeNull()
    expect(splitKeys({ ...open, to: 9 })).toBeNull()
    expect(splitBlocksTo(open, 1)).toBeNull()
  })

  test.each([
    [0, 2000, 99_999, 1999],
    [2001, 2000, 99_999, 3999],
    [98_000, 2000, 98_500, 98_500],
    [5, 1, 10, 5],
  ])('that begin at %d and have %d blocks end where others do', (from, blocks, last, end) => {
    expect(pieceEnd(from, blocks, last)).toBe(end)
  })

  test.each([
    [Number.POSITIVE_INFINITY, [[10, 19]]],
    [
      4,
      [
        [10, 13],
        [14, 17],
        [18, 19],
      ],
    ],
    [
      1,
      [
        [10, 10],
        [13, 13],
        [16, 16],
        [19, 19],
      ],
    ],
  ])('are compared in ranges of at most %d blocks', (blocksMax, ranges) => {
    const compared = rangesToCompare(WHOLE, blocksMax).map(({ from, to }) => [from, to])
    expect(compared).toEqual(ranges)
  })
})
