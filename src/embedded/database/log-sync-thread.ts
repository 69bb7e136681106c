import { openThreadCalls } from '../../ports/driver-parts/thread-calls.ts'

export type SyncFunctions = { sync(path: string): void; close(): void }

/** Syncs one file, one sync at a time. */
export type LogSyncThread = ReturnType<typeof startLogSyncThread>

const SCRIPT = new URL('./log-sync-worker.ts', import.meta.url).href

/**
 * A thread of its own for the syncs of a log. In the pool of the runtime they would queue behind
 * whatever else holds its few threads, and every commit with them.
 */
export function startLogSyncThread(path: string) {
  const { call, close } = openThreadCalls<SyncFunctions>(new Worker(SCRIPT), { grouped: false })
  return {
    /** All that was written before the call is on the disk when it ends. */
    sync: () => call('sync', [path]),
    close,
  }
}
