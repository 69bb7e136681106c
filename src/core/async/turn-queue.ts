export type TurnQueue<T> = ReturnType<typeof openTurnQueue<T>>

/**
 * Works together on all that comes in one turn of the event loop, when `atTurnEnd` says that it
 * ends. Hot path: the same code, run many times in a row, finds itself in the processor's caches.
 * Of more than `togetherMax`, the first do not wait for the last.
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
    /** Works at once on all that came so far. */
    run,
  }
}
