export interface Descriptors {
  /** The number that the process may have open; null where that is not known. */
  readonly max: number | null

  /**
   * Cheap: each number below the returned one is in use, so at least so many are open. Infinity
   * when none can be opened any more.
   */
  lowestFree(): number

  /** The number that are open. Costs a look at each of them. */
  count(): number

  /** Holds some, so that they can be had by whoever needs them once the rest is used up. */
  setAside(count: number): () => void
}
