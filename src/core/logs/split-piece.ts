import type { BlockRange, LogPiece } from './log-filter.ts'

/** Calls to another upstream by which one piece is compared. */
const COMPARED_RANGES_MAX = 4

/**
 * Two pieces that are the same together. Blocks are split first, then addresses, then the
 * alternatives of the topic that has most; null when nothing is left to split.
 */
export function splitPiece(piece: LogPiece): [LogPiece, LogPiece] | null {
  return splitBlocks(piece) ?? splitKeys(piece)
}

/** Parts of at most so many blocks, which are smaller than the piece in any case. */
export function splitBlocksTo(piece: LogPiece, blocksMax: number): LogPiece[] | null {
  const blocks = blocksIn(piece)
  if (blocks === 1) return null
  const step = Math.max(1, Math.min(blocksMax, Math.ceil(blocks / 2)))
  const parts: LogPiece[] = []
  for (let from = piece.from; from <= piece.to; from += step) {
    parts.push({ ...piece, from, to: Math.min(piece.to, from + step - 1) })
  }
  return parts
}

export function splitKeys(piece: LogPiece): [LogPiece, LogPiece] | null {
  const { addresses, topics } = piece
  if (addresses !== null && addresses.length > 1) {
    const [some, others] = halves(addresses)
    return [
      { ...piece, addresses: some },
      { ...piece, addresses: others },
    ]
  }
  const counts = topics.map((keys) => keys?.length ?? 1)
  const at = counts.indexOf(Math.max(1, ...counts))
  const keys = topics[at]
  if (!keys || keys.length < 2) return null
  const [some, others] = halves(keys)
  return [
    { ...piece, topics: topics.with(at, some) },
    { ...piece, topics: topics.with(at, others) },
  ]
}

/**
 * The ranges of at most so many blocks in which a piece is compared: all of it where few will do,
 * else some that are spread evenly.
 */
export function rangesToCompare({ from, to }: BlockRange, blocksMax: number): BlockRange[] {
  const blocks = to - from + 1
  const count = Math.ceil(blocks / blocksMax)
  if (count <= 1) return [{ from, to }]
  const isWhole = count <= COMPARED_RANGES_MAX
  const step = isWhole ? blocksMax : (blocks - blocksMax) / (COMPARED_RANGES_MAX - 1)
  return Array.from({ length: isWhole ? count : COMPARED_RANGES_MAX }, (_, at) => {
    const first = from + Math.floor(at * step)
    return { from: first, to: Math.min(to, first + blocksMax - 1) }
  })
}

export function blocksIn({ from, to }: { from: number; to: number }): number {
  return to - from + 1
}

/**
 * The last block of a piece that begins at a block. Pieces end where multiples of their length
 * do, so that queries that overlap have pieces in common.
 */
export function pieceEnd(from: number, blocks: number, last: number): number {
  return Math.min(last, Math.floor(from / blocks) * blocks + blocks - 1)
}

function splitBlocks(piece: LogPiece): [LogPiece, LogPiece] | null {
  const { from, to } = piece
  if (from === to) return null
  const middle = Math.floor((from + to) / 2)
  return [
    { ...piece, to: middle },
    { ...piece, from: middle + 1 },
  ]
}

function halves<T>(list: readonly T[]): [T[], T[]] {
  const middle = Math.ceil(list.length / 2)
  return [list.slice(0, middle), list.slice(middle)]
}
