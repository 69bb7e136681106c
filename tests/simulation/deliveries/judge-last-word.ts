import type { BookedWebhook } from './book.ts'
import type { DeliveryRun, Post } from './delivery-run.ts'
import { ERROR_TEXTS } from './judge-pauses.ts'

/**
 * Nothing follows the error that tells of a pause before somebody unpauses the webhook. Of what
 * an earlier owner of its shard had on its way its sender knows nothing, even if that was the same
 * process before it lost its lease.
 */
export function lastWordFault(
  { posts }: DeliveryRun,
  post: Post,
  { row, versions }: BookedWebhook,
): string | null {
  if (row.state !== 'paused' || !row.reason || !(row.reason in ERROR_TEXTS)) return null
  const pausedAt = versions.findLastIndex((version) => version.row.state === 'active') + 1
  const others = posts.filter(
    ({ life, webhookId, kind }) =>
      life === post.life && webhookId === post.webhookId && kind !== post.kind,
  )
  if (post.kind === 'data') {
    const isSaid = others.some(({ webhookVersions }) => webhookVersions > pausedAt)
    return isSaid ? 'the error has been sent' : null
  }
  const isBusy = others.some(({ epoch, endedMs }) => epoch === post.epoch && endedMs === null)
  return isBusy ? 'something else is on its way' : null
}
