/** Numbers that are given out in order and may be committed in another. */
export type LateNumbers = {
  /** All numbers up to here have been read. */
  floor(): number
  isNew(number: number): boolean
  /** These were read, at that moment. */
  note(numbers: readonly number[], atMs: number): void
  /** Begins anew: nothing is wanted up to that number. */
  restart(floor: number): void
}

/** A transaction that takes longer to commit is not waited for. */
const LATE_MS = 10_000

/** Marks of how far the numbers have come, one for each second. */
const MARK_EVERY_MS = 1_000

/**
 * On PostgreSQL a number may show up after a higher one, as its transaction commits later. So what
 * was seen within some seconds is looked at again, and what is not new is known.
 */
export function openLateNumbers(): LateNumbers {
  let seen = new Set<number>()
  let floor = 0
  let highest = 0
  let marks: { atMs: number; highest: number }[] = []

  return {
    floor: () => floor,
    isNew: (number) => number > floor && !seen.has(number),
    note(numbers, atMs) {
      for (const number of numbers) {
        seen.add(number)
        highest = Math.max(highest, number)
      }
      const marked = marks.at(-1)
      if (!marked || atMs - marked.atMs >= MARK_EVERY_MS) marks.push({ atMs, highest })
      const past = marks.filter((mark) => mark.atMs <= atMs - LATE_MS)
      const last = past.at(-1)
      if (!last) return
      marks = marks.slice(past.length)
      floor = last.highest
      for (const number of seen) if (number <= floor) seen.delete(number)
    },
    restart(from) {
      seen = new Set()
      floor = from
      highest = from
      marks = []
    },
  }
}
