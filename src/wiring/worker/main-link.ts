import { type FromWorker, readMessage, type ToWorker } from '../workers/worker-messages.ts'

export type MainLink = {
  send(message: FromWorker): void
  subscribe(hear: (message: ToWorker) => void): () => void
  /** Resolves when the main process is gone. */
  closed: Promise<void>
}

export function openMainLink(): MainLink {
  const listeners = new Set<(message: ToWorker) => void>()
  const closed = Promise.withResolvers<void>()
  process.on('disconnect', closed.resolve)
  process.on('message', (sent: unknown) => {
    const message = readMessage<ToWorker>(sent)
    if (message) for (const hear of [...listeners]) hear(message)
  })
  return {
    send(message) {
      try {
        process.send?.(message)
      } catch {
        // It has gone, which `closed` tells.
      }
    },
    subscribe(hear) {
      listeners.add(hear)
      return () => void listeners.delete(hear)
    },
    closed: closed.promise,
  }
}
