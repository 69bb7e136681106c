/** Chance; tests stand in for it. */
export interface Entropy {
  bytes(length: number): Uint8Array
  /** From 0 (inclusive) to 1 (exclusive). */
  fraction(): number
}

export function systemEntropy(): Entropy {
  return {
    bytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
    fraction: () => Math.random(),
  }
}
