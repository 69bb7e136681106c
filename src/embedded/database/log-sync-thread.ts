import { assert } from '../../core/errors.ts'

export type SyncOrder = { kind: 'sync'; path: string } | { kind: 'close' }

/** Null when the disk has taken it, else why not. */
export type SyncAnswer = string | null

/** Syncs one file, one sync at a time. */
export type LogSyncThread = {
  /** All that was written before the call is on the disk when it ends. */
  sync(): Promise<void>
  close(): Promise<void>
}

const ENDED = 'the thread that syncs has ended'

const SCRIPT = new URL('./log-sync-worker.ts', import.meta.url).href

/**
 * A thread of its own for the syncs of a log. In the pool of the runtime they would queue behind
 * whatever else holds its few threads, and every commit with them.
 */
export function startLogSyncThread(path: string): LogSyncThread {
  const worker = new Worker(SCRIPT)
  let waiting: PromiseWithResolvers<void> | null = null
  let ended = false

  const conclude = (answer: SyncAnswer) => {
    const concluded = waiting
    waiting = null
    if (answer === null) concluded?.resolve()
    else concluded?.reject(new Error(answer))
  }
  worker.onmessage = (event: MessageEvent<SyncAnswer>) => conclude(event.data)
  worker.onerror = () => {
    ended = true
    conclude(ENDED)
  }

  const ask = (order: SyncOrder) => {
    assert(waiting === null, 'one sync at a time')
    if (ended) return Promise.reject(new Error(ENDED))
    waiting = Promise.withResolvers<void>()
    worker.postMessage(order)
    return waiting.promise
  }

  return {
    sync: () => ask({ kind: 'sync', path }),
    async close() {
      if (!ended) await ask({ kind: 'close' })
      ended = true
      worker.terminate()
    },
  }
}
