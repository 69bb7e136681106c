export type ReadWriteLock = ReturnType<typeof openReadWriteLock>

type Waiting = { isExclusive: boolean; enter(): void }

/**
 * Many may hold it together, or one alone; first come first served. Neither side starves: a
 * newcomer waits behind everybody who waits already.
 */
export function openReadWriteLock() {
  const waiting: Waiting[] = []
  let readers = 0
  let isWriting = false

  const admit = () => {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      if (isWriting || (next.isExclusive && readers > 0)) return
      waiting.shift()
      if (next.isExclusive) isWriting = true
      else readers += 1
      next.enter()
    }
  }

  const run = async <T>(isExclusive: boolean, work: () => Promise<T>): Promise<T> => {
    const { promise: entered, resolve: enter } = Promise.withResolvers<void>()
    waiting.push({ isExclusive, enter })
    admit()
    await entered
    try {
      return await work()
    } finally {
      if (isExclusive) isWriting = false
      else readers -= 1
      admit()
    }
  }

  return {
    shared: <T>(work: () => Promise<T>) => run(false, work),
    exclusive: <T>(work: () => Promise<T>) => run(true, work),
  }
}
