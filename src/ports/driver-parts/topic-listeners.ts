import { assert } from '../../core/errors.ts'

/** Each part of the program listens once, so more than this is a leak. */
const LISTENERS_MAX = 10_000

type Listener = { hear: (text: string) => void }

export type TopicListeners = {
  subscribe(topic: string, hear: (text: string) => void): () => void
  tell(topic: string, text: string): void
  clear(): void
}

export function openTopicListeners(): TopicListeners {
  const listeners = new Map<string, Set<Listener>>()

  return {
    tell(topic, text) {
      for (const listener of listeners.get(topic) ?? []) {
        // Later, as over a wire: the publisher neither waits for listeners nor suffers from them.
        queueMicrotask(() => {
          if (listeners.get(topic)?.has(listener)) hint(listener, text)
        })
      }
    },
    subscribe(topic, hear) {
      const ours = listeners.get(topic) ?? new Set()
      assert(ours.size < LISTENERS_MAX, 'listeners end their subscriptions')
      const listener = { hear }
      listeners.set(topic, ours.add(listener))
      return () => {
        ours.delete(listener)
        if (ours.size === 0 && listeners.get(topic) === ours) listeners.delete(topic)
      }
    },
    clear: () => listeners.clear(),
  }
}

function hint(listener: Listener, text: string): void {
  try {
    listener.hear(text)
  } catch {
    // A hint is best effort. Whoever missed it finds the change at its next look.
  }
}
