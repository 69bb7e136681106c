import type { Delivery, WebhookStats } from '@headgate/client'
import { useEffect, useRef } from 'preact/hooks'
import { useLive } from '../../api/live.ts'
import { invalidate, patchAnswers } from '../../api/use-call.ts'
import { useLiveBatch } from '../../api/use-live-batch.ts'

/** The figures of all webhooks are read anew at most so often while deliveries go on. */
const READ_EVERY_MS = 15_000

/** As many as the service tells. */
const RECENT_MAX = 48

/** Keeps the figures of webhooks true: the newest delivery at once, the counts soon after. */
export function useWebhookNews(): void {
  useLive('gap', () => invalidate('getWebhookStats', 'listReplays'))
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  useLiveBatch('delivery', (events) => {
    const byWebhook = Map.groupBy(events, ({ webhook_id }) => webhook_id)
    patchAnswers('getWebhookStats', ({ data }) => ({
      data: data.map((stats) =>
        (byWebhook.get(stats.webhook_id) ?? []).reduce(withDelivery, stats),
      ),
    }))
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      invalidate('getWebhookStats')
    }, READ_EVERY_MS)
  })
}

/** A delivery newer than the last is one more; the last one itself may have changed. */
function withDelivery(stats: WebhookStats, delivery: Delivery): WebhookStats {
  const { last_delivery: last, recent } = stats
  const isLast = last?.id === delivery.id
  if (!isLast && last !== null && delivery.time_created < last.time_created) return stats
  const { id, time_created, status, status_code, block_number, attempts_made, rerun } = delivery
  const before = isLast ? recent.slice(0, -1) : recent
  return {
    ...stats,
    last_delivery: { id, time_created, status, status_code, block_number },
    recent: [...before, { status, attempts_made, rerun, status_code }].slice(-RECENT_MAX),
  }
}
