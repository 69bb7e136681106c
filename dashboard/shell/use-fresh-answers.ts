import { useCallback } from 'preact/hooks'
import { useLive } from '../api/live.ts'
import { invalidate, patchAnswers } from '../api/use-call.ts'
import { useLiveRefresh } from '../api/use-refresh.ts'
import type { WireEvents } from '../api/wire.ts'
import '../api/recent-heads.ts'

/** Keeps the answers that every page shows as they are now, by the events that tell of them. */
export function useFreshAnswers(): void {
  const onUsage = useCallback((summary: WireEvents['usage']) => {
    patchAnswers('getUsageSummary', () => ({ data: summary }))
  }, [])
  useLive('usage', onUsage)
  const onGap = useCallback(() => invalidate('getUsageSummary'), [])
  useLive('gap', onGap)
  useLiveRefresh(['webhook', 'gap'], 'listWebhooks')
}
