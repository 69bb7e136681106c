import type { Timers } from './timers.ts'

export type WakeableSleep = ReturnType<typeof openWakeableSleep>

export function openWakeableSleep(timers: Timers) {
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
    /** Until woken or `ms` have passed. A call of `wake` since the last sleep ends it at once. */
    async sleep(ms: number): Promise<void> {
      if (!isWoken && !isClosed) {
        await wait(ms, (end) => {
          endSleep = end
        })
      }
      isWoken = false
    },
    /** For `ms`, whatever the news, as after a failure; only `close` cuts it short. */
    async pause(ms: number): Promise<void> {
      if (isClosed) return
      await wait(ms, (end) => {
        endPause = end
      })
      // The loop goes on now, and sees what it was woken for meanwhile.
      isWoken = false
    },
    wake(): void {
      isWoken = true
      endSleep()
    },
    /** Ends what sleeps or pauses now, and every later sleep and pause at once. */
    close(): void {
      isClosed = true
      endSleep()
      endPause()
    },
  }
}
