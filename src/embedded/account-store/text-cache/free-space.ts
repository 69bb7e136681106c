/** A part of the file of texts. */
export type Extent = { place: number; bytes: number }

/** The room in the file of texts. */
export type FreeSpace = {
  /** The place of so many bytes that are free; null when there are none. */
  take(bytes: number): number | null
  give(extent: Extent): void
}

/** Everything but what is taken is free; the file never grows beyond so many bytes. */
export function openFreeSpace(taken: readonly Extent[], bytesMax: number): FreeSpace {
  /** In the order of their places; none touches another. */
  const free: Extent[] = []
  let end = 0
  for (const { place, bytes } of taken.toSorted((a, b) => a.place - b.place)) {
    if (place > end) free.push({ place: end, bytes: place - end })
    end = place + bytes
  }
  free.push({ place: end, bytes: Math.max(0, bytesMax - end) })

  return {
    take(bytes) {
      // The first that fits: so the file stays as short as it can be.
      const at = free.findIndex((one) => one.bytes >= bytes)
      const found = free[at]
      if (!found) return null
      const { place } = found
      found.place += bytes
      found.bytes -= bytes
      if (found.bytes === 0) free.splice(at, 1)
      return place
    },
    give({ place, bytes }) {
      const behind = free.findIndex((one) => one.place > place)
      const at = behind < 0 ? free.length : behind
      const [before, after] = [free[at - 1], free[at]]
      const joinsBefore = before && before.place + before.bytes === place
      const joinsAfter = after && place + bytes === after.place
      const first = joinsBefore ? before.place : place
      const last = joinsAfter ? after.place + after.bytes : place + bytes
      const from = joinsBefore ? at - 1 : at
      const to = joinsAfter ? at + 1 : at
      free.splice(from, to - from, { place: first, bytes: last - first })
    },
  }
}
