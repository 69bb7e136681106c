/** An accepted delivery as a store remembers it. */
export type Taken = {
  /** Texts of less than 200 characters by which this delivery is known again. */
  marks: readonly string[]
  /**
   * Numbers of which only the highest counts, each under a name of less than 200 characters: the
   * version of a block, the time of an attempt. A number is a decimal whole one of any length.
   */
  numbers: readonly { name: string; number: string }[]
}

/** The memory of a receiver. One in a database survives restarts and serves many processes. */
export interface ReceiverStore {
  /** Whether a delivery with this mark was remembered. */
  knows(mark: string): Promise<boolean> | boolean

  /** The highest number remembered under a name; null when there is none. */
  highest(name: string): Promise<string | null> | string | null

  /** Remembers a delivery, all of it together or nothing. Never lowers a number. */
  remember(taken: Taken): Promise<void> | void
}

/** Two for each delivery: enough for hours of blocks, in about 45 MB of heap. */
const ENTRIES_MAX = 100_000

/** Remembers the last deliveries, as long as the process runs. */
export function memoryStore(entriesMax: number = ENTRIES_MAX): ReceiverStore {
  const marks = new Map<string, true>()
  const numbers = new Map<string, string>()
  return {
    knows: (mark) => marks.has(mark),
    highest: (name) => numbers.get(name) ?? null,

    remember(taken) {
      for (const mark of taken.marks) keep(marks, mark, true, entriesMax)
      for (const { name, number } of taken.numbers) {
        const known = numbers.get(name)
        if (known !== undefined && BigInt(known) >= BigInt(number)) continue
        keep(numbers, name, number, entriesMax)
      }
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
