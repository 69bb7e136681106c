import type { Timers } from './timers.ts'

/**
 * What `work` comes to, or what `late` returns or throws after `waitMs`. The work itself goes on:
 * whoever gives it up has to stop it. How it ends then, no one hears, failures included.
 */
export async function within<T, Late>(
  timers: Timers,
  waitMs: number,
  work: PromiseLike<T>,
  late: () => Late,
): Promise<T | Late> {
  const isLate = Promise.withResolvers<typeof LATE>()
  const cancel = timers.after(waitMs, () => isLate.resolve(LATE))
  try {
    const first = await Promise.race([work, isLate.promise])
    return first === LATE ? late() : first
  } finally {
    cancel()
  }
}

const LATE = Symbol('late')
