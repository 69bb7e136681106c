/**
 * Runs work one piece after the other. A piece may `release` the next one before it has ended,
 * when the rest of it needs no protection.
 */
export type Serial = <T>(work: (release: () => void) => T | Promise<T>) => Promise<T>

type SerialLimits = {
  /** Pieces that may be under way and waiting together. */
  waitingMax: number
  /** The error for a caller who comes when there are that many. */
  full(): Error
}

/** A mutex, first come first served. A piece that fails fails for its caller alone. */
export function serial({ waitingMax, full }: SerialLimits = UNLIMITED): Serial {
  let waiting = 0
  let last: Promise<void> | null = null

  return function run<T>(work: (release: () => void) => T | Promise<T>): Promise<T> {
    if (waiting >= waitingMax) return Promise.reject(full())
    waiting += 1
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const mine = (last ?? Promise.resolve()).then(() => work(release))
    const end = () => {
      waiting -= 1
      release()
      // An idle mutex holds on to nothing of the work that was done last.
      if (last === released) last = null
    }
    mine.then(end, end)
    last = released
    return mine
  }
}

/** Enough for callers who are few by their nature, such as reloads of the configuration. */
const UNLIMITED: SerialLimits = {
  waitingMax: Number.POSITIVE_INFINITY,
  full: () => new Error('too many wait'),
}
