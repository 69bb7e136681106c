export type HeardSlots = ReturnType<typeof openHeardSlots>

/** An hour and more; older slots are final, and nobody asks for them. */
const SLOTS_MAX = 10_000

/**
 * The slots that a ledger has told us of, by which it is known whether nothing was missed: a
 * ledger writes its clock in every block, so who hears of the clock hears of each block.
 */
export function openHeardSlots() {
  const times = new Map<number, bigint | null>()
  let newest: number | null = null

  const keep = (slot: number, time: bigint | null) => {
    if (time !== null || !times.has(slot)) times.set(slot, time)
    if (times.size <= SLOTS_MAX) return
    const [oldest] = times.keys()
    if (oldest !== undefined) times.delete(oldest)
  }

  return {
    /** The slot of the newest clock. Of all slots before it, everything was told. */
    get newest(): number | null {
      return newest
    },
    /** False for a clock that goes back, or stands still. */
    noteClock(slot: number, unixTimestamp: bigint): boolean {
      if (newest !== null && slot <= newest) return false
      newest = slot
      keep(slot, unixTimestamp)
      return true
    },
    noteChange: (slot: number) => keep(slot, null),
    timeAt: (slot: number) => times.get(slot) ?? null,
    /** The first of these blocks, from `from` to `to`, of which nobody told us. */
    missing(blocks: readonly number[], from: number, to: number) {
      return lowest(blocks.filter((slot) => slot >= from && slot <= to && times.get(slot) == null))
    },
    /** The first slot from `from` to `to` that we were told of and that is none of the blocks. */
    dropped(blocks: readonly number[], from: number, to: number) {
      const known = new Set(blocks)
      const heard = [...times.keys()].filter((slot) => slot >= from && slot <= to)
      return lowest(heard.filter((slot) => !known.has(slot)))
    },
    /** A new line: clocks may begin behind those of the last one. */
    restart() {
      newest = null
    },
  }
}

function lowest(slots: readonly number[]): number | null {
  let found: number | null = null
  for (const slot of slots) if (found === null || slot < found) found = slot
  return found
}
