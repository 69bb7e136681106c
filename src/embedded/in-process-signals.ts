import { openTopicListeners } from '../ports/driver-parts/topic-listeners.ts'
import type { Signals } from '../ports/signals.ts'

export function openInProcessSignals(): Signals {
  const { subscribe, tell, clear } = openTopicListeners()
  return {
    publish: tell,
    subscribe,
    async close() {
      clear()
    },
  }
}
