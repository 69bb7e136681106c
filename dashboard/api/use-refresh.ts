import type { CallId } from '@headgate/client'
import { useEffect } from 'preact/hooks'
import { hearLive, type LiveTopic } from './live.ts'
import { invalidate } from './use-call.ts'

/** However many events come, answers are read anew this often at most. */
const GATHERED_MS = 2000

/** Reads answers anew every so often, for what no event tells; rests while nobody looks. */
export function useRefresh(everyMs: number, ...ids: readonly CallId[]): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) invalidate(...ids)
    }, everyMs)
    return () => clearInterval(timer)
  }, [everyMs, ...ids])
}

export function useLiveRefresh(topics: readonly LiveTopic[], ...ids: readonly CallId[]): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let readAtMs = 0
    const read = () => {
      timer = undefined
      readAtMs = performance.now()
      invalidate(...ids)
    }
    const heard = () => {
      timer ??= setTimeout(read, Math.max(0, readAtMs + GATHERED_MS - performance.now()))
    }
    const stops = topics.map((topic) => hearLive(topic, heard))
    return () => {
      clearTimeout(timer)
      for (const stop of stops) stop()
    }
  }, [topics.join(), ids.join()])
}
