import { assert } from '../errors.ts'
import type { Header } from './block.ts'

/** The part of the chain that may still change: headers ascending, each the next's parent. */
export type Tail = readonly Header[]

export type Relation =
  /** Its parent is the tip. */
  | 'extends'
  /** Its parent is in the tail, below the tip, or below the first block of all. */
  | 'forks'
  /** Its parent is unknown here: the branch has to be followed further down. */
  | 'unconnected'
  /** The branch leaves the chain below everything that may still change. */
  | 'below_finality'

/**
 * True when a head tells nothing new: we hold it, or it lies below all that can change. A
 * lower head alone means a node that lags, never a reorganisation.
 */
export function isStale(tail: Tail, head: Header): boolean {
  const lowest = tail[0]
  if (lowest === undefined) return false
  return head.number < lowest.number || headerAt(tail, head.number)?.hash === head.hash
}

/**
 * Decides what a branch means for the chain we hold, by its oldest header alone. `whole`:
 * the tail goes back to the first block ever followed, and even that may be replaced.
 */
export function relationTo(tail: Tail, oldest: Header, whole: boolean): Relation {
  const [lowest, tip] = [tail[0], tail.at(-1)]
  assert(lowest !== undefined && tip !== undefined, 'a branch is joined to a chain that has begun')
  const below = oldest.number - 1
  const ours = headerAt(tail, below)
  if (ours?.hash === oldest.parentHash) return below === tip.number ? 'extends' : 'forks'
  if (whole && oldest.number === lowest.number) return 'forks'
  return below < lowest.number + (whole ? 0 : 1) ? 'below_finality' : 'unconnected'
}

/**
 * The tail with a header on top, in place of whatever stood at its height and above.
 * Headers below `keepFrom` are let go, but for the newest `lengthMax` none is kept longer.
 */
export function withHeader(
  tail: Tail,
  header: Header,
  keepFrom: number,
  lengthMax: number,
): Header[] {
  assert(lengthMax > 0, 'a tail keeps at least one header')
  const from = Math.max(keepFrom, header.number - lengthMax + 1)
  const kept = tail.filter(({ number }) => number >= from && number < header.number)
  const parent = kept.at(-1)
  const linked = parent === undefined || parent.hash === header.parentHash
  assert(linked && (parent?.number ?? header.number - 1) === header.number - 1, 'a tail is linked')
  return [...kept, header]
}

export function headerAt(tail: Tail, number: number): Header | undefined {
  const lowest = tail[0]
  return lowest === undefined ? undefined : tail[number - lowest.number]
}
