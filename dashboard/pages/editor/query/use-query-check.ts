import type { QueryCheck } from '@headgate/client'
import { useEffect, useState } from 'preact/hooks'
import { ApiError, callApi, messageOf } from '../../../api/call-api.ts'

type Told = {
  /** Of the newest text that was checked; null before the first. */
  check: QueryCheck | null
  /** The text that it was said of. */
  of: string
  /** Why there is no check: the service is away, or refuses it. */
  fault: string
}

/** The pause after the last key until the query is checked. */
const PAUSE_MS = 250
const BUSY_MS = 2_000

export function useQueryCheck(query: string, network: string) {
  const [told, setTold] = useState<Told>({ check: null, of: '', fault: '' })
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    if (!query.trim() || !network) return
    const abort = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const ask = async () => {
      try {
        const body = { graphql_query: query, network }
        const { data } = await callApi('checkQuery', { body, signal: abort.signal })
        setTold({ check: data, of: query, fault: '' })
      } catch (thrown) {
        if (abort.signal.aborted) return
        const isBusy = thrown instanceof ApiError && thrown.status === 429
        if (isBusy) timer = setTimeout(ask, Math.max(BUSY_MS, thrown.retryAfterS * 1000))
        else setTold((old) => ({ ...old, fault: messageOf(thrown) }))
      }
    }
    timer = setTimeout(ask, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [query, network, turn])
  // Asks again, as after variables have changed.
  return { ...told, again: () => setTurn((count) => count + 1) }
}
