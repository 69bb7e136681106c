import type { BookedWebhook } from '../book.ts'
import type { DeliveryRun, Post } from '../delivery-run.ts'
import { ERROR_TEXTS } from './judge-pauses.ts'

/**
 * Nothing follows the error that tells of a pause before somebody unpauses the webhook: that
 * which the pause has made, or has sent anew. Of what another process had on its way its sender
 * knows nothing.
 */
export function lastWordFault(
  { posts, book }: DeliveryRun,
  post: Post,
  { row, versions }: BookedWebhook,
): string | null {
  if (row.state !== 'paused' || !row.reason || !(row.reason in ERROR_TEXTS)) return null
  const pausedAt = versions.findLastIndex((version) => version.row.state === 'active') + 1
  const pausedMs = versions[pausedAt]?.fromMs ?? 0
  const others = posts.filter(
    ({ life, webhookId, kind }) =>
      life === post.life && webhookId === post.webhookId && kind !== post.kind,
  )
  if (post.kind === 'data') {
    const isSaid = others.some(({ deliveryId, sentAs, startedMs }) => {
      const made = book.deliveries.get(deliveryId)?.versions
      const sent = made?.find((version) => version.row.version === sentAs?.version)
      // In the same moment one of an earlier pause may have left just before this one.
      return startedMs > pausedMs || (sent !== undefined && sent.fromMs >= pausedMs)
    })
    return isSaid ? 'the error has been sent' : null
  }
  const isBusy = others.some(({ endedMs }) => endedMs === null)
  return isBusy ? 'something else is on its way' : null
}
