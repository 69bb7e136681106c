import { type BloomBits, openBloomBits } from '../../core/chain/logs-bloom.ts'
import { type CachePolicy, type HeadView, policyForResult } from '../../core/rpc/cache-policy.ts'
import type { Clock } from '../../ports/clock.ts'
import type { PoolAnswer, UpstreamPool } from '../pool/routed-request.ts'
import { collectStream } from '../streams/collect-stream.ts'
import { type HeadCache, headGet, headSet, openHeadCache } from './head-cache.ts'
import { type CacheEntry, openResponseCache, type ResponseCache } from './response-cache.ts'
import { openSingleFlight, type SingleFlight } from './single-flight.ts'

/** Everything that a network remembers for the next calls and blocks. */
export type AnswerCache = {
  /** Answers that never change. */
  immutable: ResponseCache
  /** Answers that hold for one head. */
  headCache: HeadCache
  /** Calls under way that others may join. */
  singleFlight: SingleFlight<PoolAnswer>
  /** Hashes that the check of the next block needs again. */
  bloomBits: BloomBits
}

/** The state of the chain when a call came in, by which its answer is cached. */
export type CacheContext = {
  key: string
  policy: CachePolicy
  epoch: number
  head: HeadView | null
  /** Answers may be cached for this head. */
  isHeadUsable: boolean
}

type CachingService = AnswerCache & { pool: UpstreamPool }

/** The share of the cache for answers that live as long as one head. */
const HEAD_SHARE = 0.25

/** How much of a streamed answer is collected beside it in order to be cached. */
const COLLECTED_BYTES_MAX = 512 * 1024

export function openAnswerCache(
  clock: Clock,
  bytesMax: number,
  latestMaxAgeMs: number,
): AnswerCache {
  return {
    immutable: openResponseCache(bytesMax * (1 - HEAD_SHARE)),
    headCache: openHeadCache(bytesMax * HEAD_SHARE, latestMaxAgeMs),
    singleFlight: openSingleFlight<PoolAnswer>(() => clock.monotonicMs()),
    bloomBits: openBloomBits(),
  }
}

export function findCached(
  { immutable, headCache }: AnswerCache,
  { key, policy, isHeadUsable }: CacheContext,
  nowMs: number,
): CacheEntry | undefined {
  if (policy === 'never') return undefined
  if (policy === 'head') return isHeadUsable ? headGet(headCache, key, nowMs) : undefined
  const entry = immutable.get(key)
  if (entry || policy !== 'immutable_if_final' || !isHeadUsable) return entry
  return headGet(headCache, key, nowMs)
}

/** Caches what may be given again; a streamed answer is collected as it passes by. */
export function cacheAnswer(
  service: CachingService,
  context: CacheContext,
  { reply, upstream }: PoolAnswer,
): void {
  if (reply.kind === 'stream' && context.policy !== 'never') {
    reply.stream = collectStream(reply.stream, COLLECTED_BYTES_MAX, (text) => {
      const value = parsed(text)
      if (value !== undefined) cacheResult(service, context, { text, value }, upstream)
    })
  }
  if (reply.kind === 'result') cacheResult(service, context, reply, upstream)
}

/** A stream's brackets alone were looked at; a cached text must be JSON to the last token. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function cacheResult(
  { immutable, headCache, pool }: CachingService,
  { key, policy, epoch, head, isHeadUsable }: CacheContext,
  { text, value }: { text: string; value: unknown },
  upstream: string,
): void {
  const now = policyForResult(policy, value, head)
  if (now === 'immutable') {
    immutable.set(key, { text, upstream })
    return
  }
  // Only an upstream that stands at this very head speaks for it, and only if it did not move.
  if (now !== 'head' || !isHeadUsable || epoch !== headCache.epoch) return
  const speaker = pool.selection.upstreams.find((one) => one.spec.name === upstream)
  if (speaker?.head?.hash !== head?.hash) return
  headSet(headCache, key, { text, upstream }, pool.clock.monotonicMs())
}
