export type TurnQueue<T> = ReturnType<typeof openTurnQueue<T>>

/**
 * Collects what arrives in one turn of the event loop and works on all of it when `atTurnEnd` says
 * that the turn ends, or once there are `togetherMax`. Nothing catches what `work` throws, so it
 * must not. Hot path: code that runs many times in a row stays in the processor's caches.
 */
export function openTurnQueue<T>(
  atTurnEnd: (work: () => void) => void,
  togetherMax: number,
  work: (one: T) => void,
) {
  let waiting: T[] = []
  let isScheduled = false

  const run = () => {
    const together = waiting
    waiting = []
    for (const one of together) work(one)
  }
  const runAtTurnEnd = () => {
    isScheduled = false
    run()
  }

  return {
    add(one: T): void {
      waiting.push(one)
      if (waiting.length >= togetherMax) {
        run()
      } else if (!isScheduled) {
        isScheduled = true
        atTurnEnd(runAtTurnEnd)
      }
    },
    /** Works at once on everything that has arrived. */
    run,
  }
}
