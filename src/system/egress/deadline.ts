import type { Clock } from '../../ports/clock.ts'

/** One limit over several steps, of which one is under way at a time. */
export type Deadline = {
  /**
   * Begins a step, which says when it is done and returns how to give it up. When the time
   * runs out it is given up, and `timeout` is its result; so it is for all later ones.
   */
  step<T>(begin: (done: (result: T) => void) => () => void): Promise<T | 'timeout'>
  leftMs(): number
  /** No more steps will follow. */
  end(): void
}

export function openDeadline(clock: Clock, timeoutMs: number): Deadline {
  const endMs = clock.monotonicMs() + timeoutMs
  let passed = false
  let giveUp: (() => void) | null = null
  const cancel = clock.after(timeoutMs, () => {
    passed = true
    giveUp?.()
  })

  return {
    step<T>(begin: (done: (result: T) => void) => () => void) {
      if (passed) return Promise.resolve<'timeout'>('timeout')
      return new Promise<T | 'timeout'>((resolve) => {
        let finished = false
        const stop = begin((result) => {
          finished = true
          giveUp = null
          resolve(result)
        })
        if (finished) return
        giveUp = () => {
          giveUp = null
          stop()
          resolve('timeout')
        }
      })
    },
    leftMs: () => endMs - clock.monotonicMs(),
    end: cancel,
  }
}
