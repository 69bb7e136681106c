import type { Extent } from './account-store-run-extents.ts'

/** Behind the one key, up to the other and with it. */
export type KeyRange = { after: Uint8Array; upTo: Uint8Array }

/** A run that is stored, without its text. */
export type StoredRun = KeyRange & {
  id: number
  slotFrom: number
  slotTo: number
  extent: Extent
}

/** A part of the keys. It keeps its bounds when its run is outdated, for the next one. */
export type Tile = KeyRange & { run: StoredRun | null; madeAtSlot: number; restsUntilSlot: number }

/** In the order of their keys; none reaches into another, and there may be gaps between them. */
export type Tiles = Tile[]

export function tileOf(tiles: Tiles, key: Uint8Array): Tile | null {
  const tile = tiles[place(tiles, ({ upTo }) => compareBounds(upTo, key) >= 0)]
  return tile && isIn(tile, key) ? tile : null
}

/** The first of these keys that belong to no run: all of a tile that has none, or of a gap. */
export function vacancyIn(
  tiles: Tiles,
  { after, upTo }: KeyRange,
  mayHaveOne: (tile: Tile) => boolean,
): KeyRange | null {
  let from = after
  for (let at = placeBehind(tiles, after); compareBounds(from, upTo) < 0; at++) {
    const tile = tiles[at]
    if (!tile) return { after: from, upTo }
    const isGap = compareBounds(tile.after, from) > 0
    if (isGap) return { after: from, upTo: lower(tile.after, upTo) }
    if (tile.run === null && mayHaveOne(tile)) return { after: tile.after, upTo: tile.upTo }
    from = tile.upTo
  }
  return null
}

/** Puts a tile into a gap, or in place of one that begins where it does. */
export function putTile(tiles: Tiles, tile: Tile): void {
  const at = placeBehind(tiles, tile.after)
  const there = tiles[at]
  const isInstead = there !== undefined && compareBounds(there.after, tile.upTo) < 0
  tiles.splice(at, isInstead ? 1 : 0, tile)
}

export function isIn({ after, upTo }: KeyRange, key: Uint8Array): boolean {
  return compareBounds(after, key) < 0 && compareBounds(key, upTo) <= 0
}

/** As SQLite does: keys, and bounds that are none. */
export function compareBounds(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b)
}

/** The first tile that ends behind the key. */
function placeBehind(tiles: Tiles, key: Uint8Array): number {
  return place(tiles, ({ upTo }) => compareBounds(upTo, key) > 0)
}

/** Halves what is left until one is found; it and all behind it are there. */
function place(tiles: Tiles, isThere: (tile: Tile) => boolean): number {
  let [low, high] = [0, tiles.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isThere(tiles[middle] as Tile)) high = middle
    else low = middle + 1
  }
  return low
}

function lower(a: Uint8Array, b: Uint8Array): Uint8Array {
  return compareBounds(a, b) < 0 ? a : b
}
