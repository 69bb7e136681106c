import { assert } from '../../core/errors.ts'

/**
 * Pieces of a list for statements that come again and again, the last one filled up with
 * repetitions of its last member: sizes are powers of two, so that a dozen prepared
 * statements serve lists of every length. For statements that repetitions do not matter to.
 */
export function evenChunks<T>(all: readonly T[], lengthMax: number): T[][] {
  assert(Number.isInteger(Math.log2(lengthMax)), 'the sizes are powers of two')
  const chunks: T[][] = []
  for (let start = 0; start < all.length; start += lengthMax) {
    const chunk = all.slice(start, start + lengthMax)
    const last = chunk.at(-1) as T
    while (!Number.isInteger(Math.log2(chunk.length))) chunk.push(last)
    chunks.push(chunk)
  }
  return chunks
}
