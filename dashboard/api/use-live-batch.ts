import type { Events } from '@headgate/client'
import { useEffect, useRef } from 'preact/hooks'
import { useLive } from './live.ts'

/** Events within a moment are drawn once. The service itself bounds how many those can be. */
const GATHER_MS = 120

/** Hears events in groups, in their order, for topics that may bring hundreds a second. */
export function useLiveBatch<Topic extends keyof Events>(
  topic: Topic,
  heard: (events: readonly Events[Topic][]) => void,
): void {
  const last = useRef(heard)
  last.current = heard
  const gathered = useRef<Events[Topic][]>([])
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  useLive(topic, (event) => {
    gathered.current.push(event)
    timer.current ??= setTimeout(() => {
      const events = gathered.current
      gathered.current = []
      timer.current = undefined
      last.current(events)
    }, GATHER_MS)
  })
}
