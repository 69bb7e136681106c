/** Gives a permit back; called more than once, it does nothing. */
type Release = () => void

export type Semaphore = ReturnType<typeof openSemaphore>

/** Lets a limited number of callers proceed at once; the others wait in the order they came. */
export function openSemaphore(permits: number, waitingMax: number) {
  const waiting = new Set<(release: Release) => void>()
  let taken = 0

  const permit = (): Release => {
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      const [next] = waiting
      if (next === undefined) {
        taken -= 1
        return
      }
      // The permit passes straight on, so that no newcomer overtakes those who wait.
      waiting.delete(next)
      next(permit())
    }
  }
  const tryAcquire = (): Release | null => {
    if (taken >= permits) return null
    taken += 1
    return permit()
  }
  return {
    get taken(): number {
      return taken
    },
    tryAcquire,
    /** Resolves when it is the caller's turn; null at once when too many wait already. */
    async acquire(): Promise<Release | null> {
      const release = tryAcquire()
      if (release) return release
      if (waiting.size >= waitingMax) return null
      return new Promise<Release>((resolve) => void waiting.add(resolve))
    },
  }
}
