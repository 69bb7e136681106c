import { quantityToNumber } from '../../core/hex.ts'
import type { HeadView } from '../../core/rpc/cache-policy.ts'
import type { ChainNews } from '../heads/shared-watch.ts'
import type { PoolAnswer, PoolCall, UpstreamPool } from '../pool/routed-request.ts'
import { isBelievable } from '../pool/selection.ts'
import { type AnswerCache, noteHeightSeen, startEpoch } from './answer-cache.ts'
import { watchesBlocks } from './filters.ts'

export type HeightService = Pick<AnswerCache, 'headCache'> & {
  pool: UpstreamPool
  pollNow(): void
  /** Tells other processes that serve it what their caches cannot know; null where none do. */
  tellOthers: ((news: ChainNews) => Promise<void>) | null
}

/**
 * A caller that was shown a new block must not be given older state after it. Returns the telling
 * of other processes, to be waited for; null where there is nothing to tell.
 */
export function noteHeightShown(
  service: HeightService,
  { of, params }: Pick<PoolCall, 'of' | 'params'>,
  { reply, upstream }: Pick<PoolAnswer, 'reply' | 'upstream'>,
  head: HeadView | null,
): Promise<void> | null {
  // A stream passes by unread and may speak of any block, so nothing older is shown after it.
  if (reply.kind === 'stream') return noteUnknownHeight(service)
  if (reply.kind !== 'result') return null
  const { value } = reply

  // A filter of blocks shows hashes, which do not say how high they are.
  if (of.safety === 'filter' && Array.isArray(value) && watchesBlocks(params[0])) {
    const isKnown = value.length === 0 || value.at(-1) === head?.hash
    return isKnown ? null : noteUnknownHeight(service)
  }
  const height = of.name === 'eth_blockNumber' ? quantityToNumber(value) : heightOf(value)
  return height === null ? null : noteBlockShown(service, height, head, upstream)
}

/** The same for a block that is told unasked, as to subscribers. */
export function noteBlockShown(
  service: HeightService,
  height: number,
  head: HeadView | null,
  from: string,
): Promise<void> | null {
  if (!isNews(service, height, head, from)) return null
  service.pollNow()
  return service.tellOthers?.({ kind: 'seen', height }) ?? null
}

function noteUnknownHeight(service: HeightService): Promise<void> | null {
  startEpoch(service.headCache)
  service.pollNow()
  return service.tellOthers?.({ kind: 'write' }) ?? null
}

/** The height an answer speaks of: a block, a transaction, a receipt, or the last of its logs. */
function heightOf(value: unknown): number | null {
  const spoken: unknown = Array.isArray(value) ? value.at(-1) : value
  if (typeof spoken !== 'object' || spoken === null) return null
  const { blockNumber, number } = spoken as Record<string, unknown>
  return quantityToNumber(blockNumber ?? number)
}

/** Another process noticed that the chain moved on: nothing older is shown here either. */
export function hearChainNews(service: HeightService, news: ChainNews): void {
  if (news.kind === 'write') startEpoch(service.headCache)
  if (news.kind === 'seen') isNews(service, news.height, service.pool.selection.head, '')
}

function isNews(
  { headCache, pool }: HeightService,
  height: number,
  head: HeadView | null,
  from: string,
): boolean {
  // A made-up height would keep answers from being cached.
  if (!isBelievable(pool.selection, height)) return false
  return noteHeightSeen(headCache, height, head, pool.clock.monotonicMs(), from)
}
