import { quantityToNumber } from '../../core/hex.ts'
import type { Network } from '../../core/network.ts'
import type { HeadView } from '../../core/rpc/cache-policy.ts'
import type { Signals } from '../../ports/signals.ts'
import type { PoolAnswer, PoolCall, UpstreamPool } from '../pool/routed-request.ts'
import { isBelievable } from '../pool/selection.ts'
import { type AnswerCache, noteHeightSeen, startEpoch } from './answer-cache.ts'
import { watchesBlocks } from './filters.ts'

/**
 * A change of the chain that shows in answers before heads report it: a write went through, an
 * answer contained a block beyond the head, or `eth_blockNumber` returned a new height.
 */
export type ChainNews = { kind: 'write' } | { kind: 'seen' | 'shown'; height: number }

export type HeightService = Pick<AnswerCache, 'headCache'> & {
  network: Network
  signals: Signals
  pool: UpstreamPool
  pollNow(): void
}

const TOPIC = 'chain'

const NEWS = /^(\S+) (write|seen|shown) (\d+)$/

/** Tells other processes that serve the network what their caches cannot know. */
export function publishChainNews(
  { network, signals }: Pick<HeightService, 'network' | 'signals'>,
  news: ChainNews,
): Promise<void> {
  const height = news.kind === 'write' ? 0 : news.height
  return signals.publish(TOPIC, `${network.id} ${news.kind} ${height}`)
}

export function subscribeToChainNews(
  signals: Signals,
  receive: (networkId: string, news: ChainNews) => void,
): () => void {
  return signals.subscribe(TOPIC, (text) => {
    const [, networkId, kind, height] = NEWS.exec(text) ?? []
    if (networkId === undefined) return
    if (kind === 'write') receive(networkId, { kind })
    else receive(networkId, { kind: kind as 'seen' | 'shown', height: Number(height) })
  })
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
  return publishChainNews(service, { kind: 'seen', height })
}

function noteUnknownHeight(service: HeightService): Promise<void> {
  startEpoch(service.headCache)
  service.pollNow()
  return publishChainNews(service, { kind: 'write' })
}

/** The height an answer speaks of: a block, a transaction, a receipt, or the last of its logs. */
function heightOf(value: unknown): number | null {
  const spoken: unknown = Array.isArray(value) ? value.at(-1) : value
  if (typeof spoken !== 'object' || spoken === null) return null
  const { blockNumber, number } = spoken as Record<string, unknown>
  return quantityToNumber(blockNumber ?? number)
}

/** When another process notices that the chain moved on, nothing older is shown here either. */
export function receiveChainNews(service: HeightService): () => void {
  return subscribeToChainNews(service.signals, (networkId, news) => {
    if (networkId !== service.network.id) return
    if (news.kind === 'write') startEpoch(service.headCache)
    if (news.kind === 'seen') isNews(service, news.height, service.pool.selection.head, '')
  })
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
