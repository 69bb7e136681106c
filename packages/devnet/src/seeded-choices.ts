export type SeededChoices = ReturnType<typeof seededChoices>

/** Spreads heights and places that lie side by side over all numbers of 32 bits. */
const SPREAD = [0x9e37_79b1, 0x85eb_ca77] as const

export function seededChoices(height: number, place: number) {
  let state = (Math.imul(height, SPREAD[0]) ^ Math.imul(place + 1, SPREAD[1])) >>> 0
  /** Mulberry32: from 0 to below 1. */
  const fraction = () => {
    state = (state + 0x6d2b_79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    /** A whole number from `least` to `most`. */
    between: (least: number, most: number) => least + Math.floor(fraction() * (most - least + 1)),
    pick: <T>(list: readonly T[]) => list[Math.floor(fraction() * list.length)] as T,
  }
}
