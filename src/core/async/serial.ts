/**
 * A mutex, first come first served. A piece of work may `release` the next one before it has
 * ended, and one that fails fails for its caller alone. Where no more than `waitingMax` pieces may
 * be under way and waiting, `full` makes the error for the others.
 */
export function serial(
  waitingMax = Number.POSITIVE_INFINITY,
  full = () => new Error('too many wait'),
) {
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
