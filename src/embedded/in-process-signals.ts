import { assert } from '../core/errors.ts'
import type { Signals } from '../ports/signals.ts'

/** Each part of the program listens once, so more than this is a leak. */
const LISTENERS_MAX = 10_000

type Listener = { hear: (text: string) => void }

/** Hints within one process. */
export function openInProcessSignals(): Signals {
  const listeners = new Map<string, Set<Listener>>()

  return {
    publish(topic, text) {
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
    async close() {
      listeners.clear()
    },
  }
}

function hint(listener: Listener, text: string): void {
  try {
    listener.hear(text)
  } catch {
    // A hint is best effort. Whoever missed it finds the change at its next look.
  }
}
