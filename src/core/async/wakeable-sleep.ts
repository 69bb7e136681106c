import type { Timers } from './timers.ts'

export type WakeableSleep = {
  /** Until woken or `ms` have passed. A call of `wake` since the last sleep ends it at once. */
  sleep(ms: number): Promise<void>
  /** For `ms`, whatever the news, as after a failure; only `close` cuts it short. */
  pause(ms: number): Promise<void>
  wake(): void
  /** Ends what sleeps or pauses now, and every later sleep and pause at once. */
  close(): void
}

export function openWakeableSleep(timers: Timers): WakeableSleep {
  let isWoken = false
  let isClosed = false
  let endSleep = () => {}
  let endPause = () => {}

  const wait = (ms: number, interruptible: (end: () => void) => void) =>
    new Promise<void>((resolve) => {
      const cancel = timers.after(ms, resolve)
      interruptible(() => {
        cancel()
        resolve()
      })
    })

  return {
    async sleep(ms) {
      if (!isWoken && !isClosed) {
        await wait(ms, (end) => {
          endSleep = end
        })
      }
      isWoken = false
    },
    async pause(ms) {
      if (isClosed) return
      await wait(ms, (end) => {
        endPause = end
      })
      // The loop goes on now, and sees what it was woken for meanwhile.
      isWoken = false
    },
    wake() {
      isWoken = true
      endSleep()
    },
    close() {
      isClosed = true
      endSleep()
      endPause()
    },
  }
}
