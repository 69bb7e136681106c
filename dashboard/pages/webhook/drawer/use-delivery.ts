import { useCallback, useEffect, useState } from 'preact/hooks'
import { callApi } from '../../../api/call-api.ts'
import { useLiveBatch } from '../../../api/use-live-batch.ts'
import type { DeliveryDetail } from '../../../api/wire.ts'

type Shown = { delivery: DeliveryDetail | null; error: unknown }

/**
 * One delivery with its body. The last one stays in view until the next is there. Bodies can be
 * large, so that none is kept beside the one in view.
 */
export function useDelivery(id: string): Shown & { reload(): void } {
  const [shown, show] = useState<Shown>({ delivery: null, error: undefined })
  const [turn, setTurn] = useState(0)
  const reload = useCallback(() => setTurn((old) => old + 1), [])
  useEffect(() => {
    const asked = new AbortController()
    callApi('getDelivery', { parameters: { id }, signal: asked.signal })
      .then(({ data }) => show({ delivery: data, error: undefined }))
      .catch((error) => asked.signal.aborted || show({ delivery: null, error }))
    return () => asked.abort()
  }, [id, turn])
  useLiveBatch('delivery', (events) => {
    if (events.some((event) => event.id === id)) reload()
  })
  return { ...shown, reload }
}
