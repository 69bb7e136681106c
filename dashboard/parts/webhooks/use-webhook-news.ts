import { useCallback } from 'preact/hooks'
import { useLive } from '../../api/live.ts'
import { invalidate, patchAnswers } from '../../api/use-call.ts'
import type { WireEvents } from '../../api/wire.ts'
import { useStatsNews } from './use-stats-news.ts'

/** Keeps the list of webhooks true while a page shows it. */
export function useWebhookNews(): void {
  useStatsNews()
  const heard = useCallback((event: WireEvents['webhook']) => {
    const { state } = event
    if (state === 'deleted') {
      patchAnswers('listWebhooks', ({ data }) => ({
        data: data.filter(({ id }) => id !== event.id),
      }))
      return
    }
    // Its name, query or address may have changed too, which the event does not tell.
    invalidate('listWebhooks')
  }, [])
  useLive('webhook', heard)
  useLive(
    'gap',
    useCallback(() => invalidate('listWebhooks', 'getWebhookStats', 'listReplays'), []),
  )
}
