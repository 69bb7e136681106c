import type { Extent } from './free-space.ts'

/** Behind the one key, up to the other and with it. */
export type KeyRange = { after: Uint8Array; upTo: Uint8Array }

/** The place and the range of a stored text. */
export type StoredText = KeyRange & {
  id: number
  slotFrom: number
  slotTo: number
  extent: Extent
}

/** A part of the keys. It keeps its bounds when its text is outdated, for the next one. */
export type CachedRange = KeyRange & {
  cached: StoredText | null
  madeAtSlot: number
  restsUntilSlot: number
}

/** In the order of their keys; none reaches into another, and there may be gaps between them. */
export type CachedRanges = CachedRange[]

export function rangeOf(ranges: CachedRanges, key: Uint8Array): CachedRange | null {
  const range = ranges[place(ranges, ({ upTo }) => compareBounds(upTo, key) >= 0)]
  return range && isIn(range, key) ? range : null
}

/** The first of these keys that belong to no text: all of a range that has none, or of a gap. */
export function uncachedIn(
  ranges: CachedRanges,
  { after, upTo }: KeyRange,
  mayHaveOne: (range: CachedRange) => boolean,
): KeyRange | null {
  let from = after
  for (let at = placeBehind(ranges, after); compareBounds(from, upTo) < 0; at++) {
    const range = ranges[at]
    if (!range) return { after: from, upTo }
    const isGap = compareBounds(range.after, from) > 0
    if (isGap) return { after: from, upTo: lower(range.after, upTo) }
    if (range.cached === null && mayHaveOne(range)) return { after: range.after, upTo: range.upTo }
    from = range.upTo
  }
  return null
}

/** Puts a range into a gap, or in place of one that begins where it does. */
export function putRange(ranges: CachedRanges, range: CachedRange): void {
  const at = placeBehind(ranges, range.after)
  const there = ranges[at]
  const isInstead = there !== undefined && compareBounds(there.after, range.upTo) < 0
  ranges.splice(at, isInstead ? 1 : 0, range)
}

export function isIn({ after, upTo }: KeyRange, key: Uint8Array): boolean {
  return compareBounds(after, key) < 0 && compareBounds(key, upTo) <= 0
}

/** As SQLite does: keys, and bounds that are none. */
export function compareBounds(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b)
}

/** The first range that ends behind the key. */
function placeBehind(ranges: CachedRanges, key: Uint8Array): number {
  return place(ranges, ({ upTo }) => compareBounds(upTo, key) > 0)
}

/** Halves what is left until one is found; it and all behind it are there. */
function place(ranges: CachedRanges, isThere: (range: CachedRange) => boolean): number {
  let [low, high] = [0, ranges.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isThere(ranges[middle] as CachedRange)) high = middle
    else low = middle + 1
  }
  return low
}

function lower(a: Uint8Array, b: Uint8Array): Uint8Array {
  return compareBounds(a, b) < 0 ? a : b
}
