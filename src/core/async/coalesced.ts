export type Coalesced = {
  /** Starts a run; while one is under way, which may have missed the cause, one more follows it. */
  ask(): void
  /** Resolves when nothing runs and no run is asked for. */
  idle(): Promise<void>
}

/** Calls `work` once for any number of requests that come while it runs; `failed` hears errors. */
export function coalesced(work: () => Promise<void>, failed: (thrown: unknown) => void): Coalesced {
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
    ask() {
      isAsked = true
      running ??= run()
    },
    async idle() {
      while (running) await running
    },
  }
}
