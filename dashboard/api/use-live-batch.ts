import { useEffect, useRef } from 'preact/hooks'
import { useLive } from './live.ts'
import type { WireEvents } from './wire.ts'

/** Events within a moment are drawn once. The service itself bounds how many those can be. */
const GATHER_MS = 120

/** Hears events in groups, in their order, for topics that may bring hundreds a second. */
export function useLiveBatch<Topic extends keyof WireEvents>(
  topic: Topic,
  heard: (events: readonly WireEvents[Topic][]) => void,
): void {
  const last = useRef(heard)
  last.current = heard
  const batch = useRef<Batch<WireEvents[Topic]> | null>(null)
  batch.current ??= openBatch((events) => last.current(events))
  useLive(topic, batch.current.add)
  useEffect(() => batch.current?.close, [])
}

type Batch<T> = { add(event: T): void; close(): void }

function openBatch<T>(flush: (events: readonly T[]) => void): Batch<T> {
  let events: T[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    add(event) {
      events.push(event)
      timer ??= setTimeout(() => {
        const gathered = events
        events = []
        timer = undefined
        flush(gathered)
      }, GATHER_MS)
    },
    close() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
