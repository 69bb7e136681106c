import type { Timers } from './timers.ts'

/**
 * The result of `work`, or what `late` returns or throws after `waitMs`. The work itself goes on:
 * its caller has to stop it. No one is told how it ends then, failures included.
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
