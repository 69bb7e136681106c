/** Chance that falls the same way for the same seed, so that a failure can be seen again. */
export type Chance = {
  /** From 0 (inclusive) to 1 (exclusive). */
  fraction(): number
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number
  pick<T>(choices: readonly T[]): T
}

export function seededChance(seed: number): Chance {
  let state = seed >>> 0
  const fraction = () => {
    // Mulberry32: small, and good enough to wander through inputs.
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (low: number, high: number) => low + Math.floor(fraction() * (high - low + 1))
  return {
    fraction,
    between,
    pick: (choices) => choices[between(0, choices.length - 1)] as (typeof choices)[number],
  }
}
