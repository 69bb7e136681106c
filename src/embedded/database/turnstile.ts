import { Failure } from '../../core/errors.ts'

/** Far more than can wait in health: beyond it the caller is told, before memory runs out. */
const WAITING_MAX = 100_000

/** Whoever has passed may `leave` before his work is done, and the next one follows. */
export type Turnstile = <T>(work: (leave: () => void) => T | Promise<T>) => Promise<T>

/** Lets callers through one at a time, in the order in which they came. */
export function openTurnstile(): Turnstile {
  let waiting = 0
  let last: Promise<void> = Promise.resolve()

  return function pass<T>(work: (leave: () => void) => T | Promise<T>): Promise<T> {
    if (waiting >= WAITING_MAX) {
      return Promise.reject(new Failure('database_unavailable', { reason: 'too_many_waiting' }))
    }
    waiting += 1
    const { promise: left, resolve: leave } = Promise.withResolvers<void>()
    const mine = last.then(() => work(leave))
    // The next in line does not care how this one ended, only that it did.
    const end = () => {
      waiting -= 1
      leave()
    }
    mine.then(end, end)
    last = left
    return mine
  }
}
