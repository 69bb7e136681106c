/** Calls `work` once for any number of requests that come while it runs; `failed` hears errors. */
export function coalesced(work: () => Promise<void>, failed: (thrown: unknown) => void) {
  let running: Promise<void> | null = null
  let isAsked = false

  const run = async () => {
    try {
      while (isAsked) {
        isAsked = false
        await attempt()
      }
    } finally {
      running = null
    }
  }
  /** Work that throws before its first promise is a failed run like any other. */
  const attempt = async () => {
    try {
      await work()
    } catch (thrown) {
      failed(thrown)
    }
  }
  return {
    /** Starts a run; while one is under way, which may have missed the cause, one more follows. */
    ask(): void {
      isAsked = true
      running ??= run()
    },
    /** Resolves when nothing runs and no run is asked for. */
    async idle(): Promise<void> {
      while (running) await running
    },
  }
}
