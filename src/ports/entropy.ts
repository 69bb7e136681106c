/** Chance. A simulation stands in for it with a seed. */
export interface Entropy {
  bytes(length: number): Uint8Array

  /** `length` characters of a-z and 0-9, each equally likely. */
  alphanumeric(length: number): string

  /** From 0 (inclusive) to 1 (exclusive). */
  fraction(): number
}
