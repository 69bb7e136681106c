/** Bytes that only grow at their end, kept outside of memory until they are removed. */
export type SpillFile = {
  append(bytes: Uint8Array): Promise<void>
  /** Fills `into` with what stands at `at`; all of it must have been appended before. */
  read(at: number, into: Uint8Array): Promise<void>
  remove(): Promise<void>
}

/**
 * Room for what is too big for memory and of no use after a restart. Nobody else can read it,
 * and what an earlier process left behind is gone.
 */
export interface SpillFiles {
  create(): Promise<SpillFile>

  clear(): Promise<void>
}
