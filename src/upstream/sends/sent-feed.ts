import type { SentNote } from '../../core/rpc/sends/sent-note.ts'

/** The transactions that upstreams took, as they do. */
export type SentFeed = {
  note(note: SentNote): void
  /** Returns how to unsubscribe. */
  subscribe(listener: (note: SentNote) => void): () => void
}

export function openSentFeed(): SentFeed {
  const listeners = new Set<(note: SentNote) => void>()
  return {
    note(note) {
      for (const listener of [...listeners]) listener(note)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
