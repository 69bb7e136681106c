import type { Webhook } from '@headgate/client'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { callApi } from '../../../api/call-api.ts'
import { useLive } from '../../../api/live.ts'
import { useLiveBatch } from '../../../api/use-live-batch.ts'
import { type DeliveryLog, openDeliveryLog } from './delivery-log.ts'
import { isMeant, type LogFilters, parametersOf } from './log-question.ts'

/** After a reorganisation several blocks come at once; the log is looked at when they are in. */
const SETTLES_MS = 600

export function useDeliveryLog(webhook: Webhook, filters: LogFilters): DeliveryLog {
  const [, redraw] = useState(0)
  const { id, network } = webhook
  const key = JSON.stringify(filters)
  const log = useMemo(() => {
    const asked: LogFilters = JSON.parse(key)
    return openDeliveryLog({
      read: (cursor, limit) =>
        callApi('listDeliveries', {
          parameters: {
            webhook_id: id,
            limit,
            ...parametersOf(asked),
            ...(cursor !== null && { cursor }),
          },
        }),
      isMeant: (delivery) => delivery.webhook_id === id && isMeant(asked, delivery),
      changed: () => redraw((count) => count + 1),
    })
  }, [id, key])
  useEffect(() => {
    log.restart()
    return log.close
  }, [log])
  useLiveBatch('delivery', log.hear)
  useLive('gap', ({ topics }) => topics.includes('deliveries') && log.miss())
  useReorganisations(network, log)
  return log
}

/** Deliveries of blocks that were replaced are superseded, which no event of theirs tells. */
function useReorganisations(network: string, log: DeliveryLog): void {
  const [forks, setForks] = useState(0)
  useLive('head', (head) => {
    if (head.network === network && head.reorganised_from !== null) setForks((old) => old + 1)
  })
  useEffect(() => {
    if (forks === 0) return
    const timer = setTimeout(() => log.refresh(), SETTLES_MS)
    return () => clearTimeout(timer)
  }, [forks, log])
}
