import { quantityToNumber } from '../../core/hex.ts'
import type { Network } from '../../core/network.ts'
import {
  type CachePolicy,
  cachePolicy,
  type HeadView,
  heightWanted,
} from '../../core/rpc/cache-policy.ts'
import type { Method, MethodRegistry } from '../../core/rpc/method-registry.ts'
import type { HeadFeed } from '../heads/head-feed.ts'
import type { ChainNews } from '../heads/shared-watch.ts'
import type { PoolAnswer, PoolCall, UpstreamPool } from '../pool/routed-request.ts'
import { type AnswerCache, type CacheContext, cacheAnswer, findCached } from './answer-cache.ts'
import { type FilterOwner, serveFilter, watchesBlocks } from './filters.ts'
import { followHead, noteHeightSeen, startEpoch } from './head-cache.ts'
import { sendTransaction } from './send-transaction.ts'

/** Everything that answers for one network. */
export type NetworkService = AnswerCache & {
  network: Network
  methods: MethodRegistry
  pool: UpstreamPool
  /** The heads that upstreams announce, as they come. */
  heads: HeadFeed
  /** Sends a call alone, to any upstream that answers. */
  request: Transport
  /** Asks the upstreams for their heads at once. */
  pollNow(): void
  /** Tells other processes that serve it what their caches cannot know; null where none do. */
  tellOthers: ((news: ChainNews) => Promise<void>) | null
}

/** How a call reaches an upstream: alone, or as a member of a batch. */
export type Transport = (call: PoolCall) => Promise<PoolAnswer>

export type CacheStatus = 'hit' | 'miss' | 'coalesced'

export type NetworkCall = {
  of: Method
  params: readonly unknown[]
  paramsText: string
  /** The caller; needed for filters alone. */
  owner: FilterOwner | null
  trace: PoolCall['trace']
  /** The caller, as far as places for big answers go. */
  share?: string | undefined
}

export type NetworkAnswer = { reply: PoolAnswer['reply']; upstream: string; cache: CacheStatus }

/** A head is good for caching only while somebody keeps reporting it. */
const HEAD_AGE_POLLS = 2
const HEAD_AGE_MS_MIN = 1000

/**
 * Answers from the cache, from a like call under way, or from an upstream. Hot path: a cached
 * answer needs no promise.
 */
export function askNetwork(
  service: NetworkService,
  call: NetworkCall,
  transport: Transport,
): NetworkAnswer | Promise<NetworkAnswer> {
  const { of, params, paramsText } = call
  const { headCache } = service
  const nowMs = service.pool.clock.monotonicMs()
  const head = freshHead(service, nowMs)
  const isHeadUsable = followHead(headCache, head, nowMs)
  const policy = cachePolicy(of, params, head)
  if (of.safety !== 'read') return askUnsafe(service, call, transport)

  const key = of.name + paramsText
  const context = { key, policy, epoch: headCache.epoch, head, isHeadUsable }
  const entry = findCached(service, context, nowMs)
  if (!entry) return joinOrAsk(service, call, transport, context, nowMs)
  const reply = { kind: 'result' as const, text: entry.text, value: undefined }
  return { reply, upstream: entry.upstream, cache: 'hit' }
}

/** Identical calls at the same time share one answer. */
async function joinOrAsk(
  service: NetworkService,
  call: NetworkCall,
  transport: Transport,
  context: CacheContext,
  nowMs: number,
): Promise<NetworkAnswer> {
  const { singleFlight } = service
  const { key, policy, epoch, head } = context
  const joined = singleFlight.join(key, epoch, nowMs)
  if (joined) {
    const shared = await joined
    // A stream can be read once; a caller that joined asks for another.
    if (!('stream' in shared.reply)) return { ...shared, cache: 'coalesced' }
  }
  const poolCall = toPoolCall(call, policy)
  const underWay = singleFlight.start(key, epoch, () => transport(poolCall), nowMs)
  let answer: PoolAnswer
  try {
    answer = await underWay
  } finally {
    singleFlight.finish(key, underWay)
  }
  const told = noteHeightShown(service, call, answer.reply, head)
  if (told) await told
  cacheAnswer(service, context, answer)
  return { reply: answer.reply, upstream: answer.upstream, cache: 'miss' }
}

async function askUnsafe(
  service: NetworkService,
  call: NetworkCall,
  transport: Transport,
): Promise<NetworkAnswer> {
  const { safety } = call.of
  const poolCall = toPoolCall(call, 'never')
  if (safety === 'filter') {
    const answer = await serveFilter(service.pool, poolCall, call.owner)
    await noteHeightShown(service, call, answer.reply, service.pool.selection.head)
    return { ...answer, cache: 'miss' }
  }
  startEpoch(service.headCache)
  const answer =
    safety === 'idempotent'
      ? await sendTransaction(service.pool, service.methods, poolCall)
      : await transport(poolCall)
  startEpoch(service.headCache)
  // Its sender may ask for it next by another connection, which another process has.
  if (service.tellOthers) await service.tellOthers({ kind: 'write' })
  return { ...answer, cache: 'miss' }
}

/** Another process noticed that the chain moved on: nothing older is shown here either. */
export function hearChainNews(service: NetworkService, news: ChainNews): void {
  if (news.kind === 'write') startEpoch(service.headCache)
  if (news.kind === 'seen') isNews(service, news.height, service.pool.selection.head)
}

function toPoolCall(call: NetworkCall, policy: CachePolicy): PoolCall {
  const { of, params, paramsText, trace, share } = call
  return {
    method: of.name,
    of,
    params,
    paramsText,
    trace,
    atHead: policy === 'head' || of.depends === 'head' || of.depends === 'uncacheable',
    heightMin: heightWanted(of, params),
    heavy: of.heavy,
    share,
  }
}

function isNews(service: NetworkService, height: number, head: HeadView | null): boolean {
  return noteHeightSeen(service.headCache, height, head, service.pool.clock.monotonicMs())
}

/**
 * A caller that was shown a new block must not be given older state after it. Returns the telling
 * of other processes, to be waited for; null where there is nothing to tell.
 */
function noteHeightShown(
  service: NetworkService,
  { of, params }: NetworkCall,
  reply: PoolAnswer['reply'],
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
  return height === null ? null : noteBlockShown(service, height, head)
}

/** The same for a block that is told unasked, as to subscribers. */
export function noteBlockShown(
  service: NetworkService,
  height: number,
  head: HeadView | null,
): Promise<void> | null {
  if (!isNews(service, height, head)) return null
  service.pollNow()
  return service.tellOthers?.({ kind: 'seen', height }) ?? null
}

function noteUnknownHeight(service: NetworkService): Promise<void> | null {
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

function freshHead(service: NetworkService, nowMs: number): HeadView | null {
  const { selection, network } = service.pool
  const { head } = selection
  if (head === null) return null
  const ageMsMax = network.headPollMs * HEAD_AGE_POLLS + HEAD_AGE_MS_MIN
  for (const upstream of selection.upstreams) {
    const reported = upstream.head
    if (reported?.hash === head.hash && nowMs - reported.reportedAtMs <= ageMsMax) return head
  }
  return null
}
