/** Numbers that look like chance. */
export type SeededNumbers = {
  /** A whole number from 0 up to, not including, this. */
  below(limit: number): number
}

/** The same numbers for the same seed (xorshift): every ledger is the same. */
export function seededNumbers(seed: number): SeededNumbers {
  let state = Math.imul(seed, 0x9e3779b1) | 1
  return {
    below(limit) {
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
      return (state >>> 0) % limit
    },
  }
}
