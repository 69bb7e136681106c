/** An accepted delivery as a store remembers it. */
export type Taken = {
  /** Texts of less than 200 characters by which this delivery is known again. */
  marks: readonly string[]
  /** The block that it is a version of; null when that is not known. */
  block: string | null
  /** Of the block's newest version; a decimal whole number. */
  sequenceNumber: string | null
}

/** What a receiver remembers. One in a database lets it forget nothing and have many processes. */
export interface ReceiverStore {
  /** Whether a delivery with this mark was remembered. */
  knows(mark: string): Promise<boolean> | boolean

  /** The highest sequence number remembered for a block; null when there is none. */
  newest(block: string): Promise<string | null> | string | null

  /** Remembers a delivery, all of it together or nothing. Never lowers a block's number. */
  remember(taken: Taken): Promise<void> | void
}

/** Two for each delivery: enough for hours of blocks, in about 45 MB of heap. */
const ENTRIES_MAX = 100_000

/** Remembers the last deliveries, as long as the process runs. */
export function memoryStore(entriesMax: number = ENTRIES_MAX): ReceiverStore {
  const marks = new Map<string, true>()
  const blocks = new Map<string, string>()
  return {
    knows: (mark) => marks.has(mark),
    newest: (block) => blocks.get(block) ?? null,

    remember(taken) {
      for (const mark of taken.marks) keep(marks, mark, true, entriesMax)
      const { block, sequenceNumber } = taken
      if (block === null || sequenceNumber === null) return
      const known = blocks.get(block)
      if (known !== undefined && BigInt(known) >= BigInt(sequenceNumber)) return
      keep(blocks, block, sequenceNumber, entriesMax)
    },
  }
}

/** Puts an entry at the end of a map, whose first one goes when there are too many. */
function keep<V>(map: Map<string, V>, key: string, value: V, entriesMax: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= entriesMax) return
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
}
