import type { Network } from '../../core/network.ts'
import { cachePolicy, type HeadView } from '../../core/rpc/cache-policy.ts'
import type { HeadFeed } from '../heads/head-feed.ts'
import { askLogs } from '../logs/ask-logs.ts'
import type { LogService } from '../logs/log-service.ts'
import { isStreamed } from '../node/rpc-client.ts'
import type { PoolAnswer, PoolCall, UpstreamPool } from '../pool/routed-request.ts'
import type { Quorum } from '../quorum/open-quorum.ts'
import { type SendService, sendOn } from '../sends/send-on.ts'
import {
  type AnswerCache,
  type CacheContext,
  cacheAnswer,
  findCached,
  followHead,
  startEpoch,
} from './answer-cache.ts'
import type { BlockVerifying } from './block-verifying.ts'
import { serveFilter } from './filters.ts'
import { type HeightService, noteHeightShown, publishChainNews } from './note-height-shown.ts'

export type NetworkService = AnswerCache &
  HeightService &
  LogService &
  SendService & {
    network: Network
    /** Null where no method of the network has one. */
    quorum: Quorum | null
    verifying: BlockVerifying
    heads: HeadFeed
  }

/** `requestAny` for a call that is sent alone. */
export type Transport = (pool: UpstreamPool, call: PoolCall) => Promise<PoolAnswer>

export type CacheStatus = 'hit' | 'miss' | 'coalesced'

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
  call: PoolCall,
  transport: Transport,
): NetworkAnswer | Promise<NetworkAnswer> {
  const { of, params, paramsText } = call
  const { headCache } = service
  const nowMs = service.pool.clock.monotonicMs()
  const head = freshHead(service, nowMs)
  const isHeadUsable = followHead(headCache, head, nowMs)
  if (of.safety !== 'read') return askUnsafe(service, call, transport)

  const policy = cachePolicy(of, params, head)
  call.atHead = policy === 'head' || of.depends === 'head' || of.depends === 'uncacheable'
  const key = of.name + paramsText
  const context = { key, policy, epoch: headCache.epoch, head, isHeadUsable }
  const entry = findCached(service, context, nowMs)
  if (!entry) return joinOrAsk(service, call, transport, context, nowMs)
  const reply = { kind: 'result' as const, text: entry.text, value: undefined }
  return { reply, upstream: entry.upstream, cache: 'hit' }
}

/** Identical calls at the same time share one answer, unless it is too big to hold. */
async function joinOrAsk(
  service: NetworkService,
  call: PoolCall,
  transport: Transport,
  context: CacheContext,
  nowMs: number,
): Promise<NetworkAnswer> {
  const { singleFlight } = service
  const { key, epoch, head } = context
  const joined = singleFlight.join(key, epoch, nowMs)
  if (joined) {
    const { reply, upstream } = await joined
    if (!isStreamed(reply)) return { reply, upstream, cache: 'coalesced' }
  }
  const { pool } = service
  const underWay =
    service.quorum?.(call) ??
    (call.of.depends === 'logs'
      ? askLogs(service, call, head ?? pool.selection.head, transport)
      : transport(pool, call))
  singleFlight.add(key, epoch, underWay, nowMs)
  let answer: PoolAnswer
  try {
    answer = await underWay
  } finally {
    singleFlight.finish(key, underWay)
  }
  cacheAnswer(service, context, answer)
  const isKnown = answer.heightMax !== undefined && answer.heightMax <= (head?.number ?? -1)
  const told = isKnown ? null : noteHeightShown(service, call, answer, head)
  if (told) await told
  return { reply: answer.reply, upstream: answer.upstream, cache: 'miss' }
}

async function askUnsafe(
  service: NetworkService,
  call: PoolCall,
  transport: Transport,
): Promise<NetworkAnswer> {
  if (call.of.safety === 'filter') {
    const answer = await serveFilter(service.pool, call)
    await noteHeightShown(service, call, answer, service.pool.selection.head)
    return { ...answer, cache: 'miss' }
  }
  startEpoch(service.headCache)
  const answer = await sendOn(service, call, transport)
  startEpoch(service.headCache)
  // Its sender may ask for it next by another connection, which another process has.
  await publishChainNews(service, { kind: 'write' })
  return { ...answer, cache: 'miss' }
}

function freshHead({ pool }: NetworkService, nowMs: number): HeadView | null {
  const { head, headReportedAtMs } = pool.selection
  const ageMsMax = pool.network.headPollMs * HEAD_AGE_POLLS + HEAD_AGE_MS_MIN
  return nowMs - headReportedAtMs <= ageMsMax ? head : null
}
