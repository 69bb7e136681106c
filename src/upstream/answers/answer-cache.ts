import { openSingleFlight } from '../../core/async/single-flight.ts'
import { openBloomBits } from '../../core/chain/logs-bloom.ts'
import { parseJson } from '../../core/json/json-value.ts'
import { type CachePolicy, type HeadView, policyForResult } from '../../core/rpc/cache-policy.ts'
import { openTwoGenerationMap } from '../../core/two-generation-map.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Streamed } from '../node/rpc-client.ts'
import type { PoolAnswer, UpstreamPool } from '../pool/routed-request.ts'

export type AnswerCache = ReturnType<typeof openAnswerCache>

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

type CacheEntry = { text: string; upstream: string }

type DatedEntry = CacheEntry & { atMs: number }

export type ResponseCache<T extends CacheEntry = CacheEntry> = ReturnType<
  typeof openResponseCache<T>
>

type HeadCache = ReturnType<typeof openHeadCache>

/** The share of the cache for answers that live as long as one head. */
const HEAD_SHARE = 0.25

/** How much of a streamed answer is collected beside it in order to be cached. */
const COLLECTED_BYTES_MAX = 512 * 1024

/** The cost of a Map entry, its key and the objects around a text beside the text itself. */
const ENTRY_BYTES = 200

/** One answer must not push out everything else. */
const SHARE_MAX = 1 / 16

/** After this many answers cached without one of them being asked for again, it gets choosy. */
const UNUSED_MAX = 1000
const SEEN_SLOTS = 1 << 16

/** A height nobody confirms within this time was a lie, and caching goes on. */
const UNCONFIRMED_MS_MAX = 10_000

/** After that its upstream is not heard for a while, lest it keep answers from being cached. */
const DOUBT_MS = 100_000

export function openAnswerCache(clock: Clock, bytesMax: number, latestMaxAgeMs: number) {
  return {
    immutable: openResponseCache(bytesMax * (1 - HEAD_SHARE)),
    headCache: openHeadCache(bytesMax * HEAD_SHARE, latestMaxAgeMs),
    singleFlight: openSingleFlight<PoolAnswer>(() => clock.monotonicMs()),
    /** Hashes that the check of the next block needs again. */
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

export function headGet({ answers, ageMsMax }: HeadCache, key: string, nowMs: number) {
  const entry = answers.get(key)
  return entry && nowMs - entry.atMs <= ageMsMax ? entry : undefined
}

/** Caches what may be given again; a streamed answer is collected as it passes by. */
export function cacheAnswer(
  service: CachingService,
  context: CacheContext,
  { reply, upstream }: PoolAnswer,
): void {
  if (context.policy === 'never') return
  if (reply.kind === 'result') cacheResult(service, context, reply, upstream)
  if (reply.kind === 'stream') cacheStream(service, context, reply, upstream)
}

function cacheStream(
  service: CachingService,
  context: CacheContext,
  reply: Streamed,
  upstream: string,
): void {
  reply.stream = collectStream(reply.stream, COLLECTED_BYTES_MAX, (text) => {
    // Its brackets alone were looked at; a cached text must be JSON to the last token.
    const value = parseJson(text)
    if (value !== undefined) cacheResult(service, context, { text, value }, upstream)
  })
}

/**
 * The same stream, handing over its whole text at the end when that is no longer
 * than `bytesMax`. So an answer can be cached although its first bytes were passed on
 * before its last had come.
 */
export function collectStream(
  stream: ReadableStream<Uint8Array>,
  bytesMax: number,
  collected: (text: string) => void,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader()
  let chunks: Uint8Array[] = []
  let bytes = 0
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) {
        if (bytes <= bytesMax) collected(Buffer.concat(chunks).toString('utf8'))
        controller.close()
        return
      }
      bytes += value.length
      if (bytes <= bytesMax) chunks.push(value)
      else chunks = []
      controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
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
  if (hashAt(pool, upstream) !== head?.hash) return
  headCache.answers.set(key, { text, upstream, atMs: pool.clock.monotonicMs() })
}

function hashAt({ selection }: UpstreamPool, name: string): string | undefined {
  for (const { spec, head } of selection.upstreams) if (spec.name === name) return head?.hash
}

/**
 * Answers that hold for one head. A new head, a reorganisation or a write of our
 * own starts a new epoch, in which everything misses by construction.
 */
export function openHeadCache(bytesMax: number, ageMsMax: number) {
  return {
    /** Counts the changes of the chain as far as they were noticed here. */
    epoch: 0,
    hash: '',
    /** The highest block that any answer spoke of. */
    heightSeen: 0,
    heightSeenAtMs: 0,
    /** The upstream whose answer that was; empty where another process heard it. */
    heightSeenFrom: '',
    /** Upstreams that spoke of blocks which nobody confirmed, and when that was found out. */
    doubted: new Map<string, number>(),
    answers: openResponseCache<DatedEntry>(bytesMax),
    ageMsMax,
  }
}

/** Follows the head; true when answers may be cached for it. */
export function followHead(cache: HeadCache, head: HeadView | null, nowMs: number): boolean {
  if (head === null) return false
  if (head.hash !== cache.hash) {
    cache.hash = head.hash
    startEpoch(cache)
  }
  if (cache.heightSeen <= head.number) return true
  if (nowMs - cache.heightSeenAtMs <= UNCONFIRMED_MS_MAX) return false
  if (cache.heightSeenFrom !== '') cache.doubted.set(cache.heightSeenFrom, nowMs)
  // So that the next true height is news again.
  cache.heightSeen = head.number
  return true
}

/** After a write of ours the chain may have changed before any head says so. */
export function startEpoch(cache: HeadCache): void {
  cache.epoch++
  cache.answers.clear()
}

/**
 * An answer spoke of a block beyond the head we know: a caller that saw it must not be
 * shown the older state. True when that is new.
 */
export function noteHeightSeen(
  cache: HeadCache,
  height: number,
  head: HeadView | null,
  nowMs: number,
  from: string,
): boolean {
  if (head === null || height <= head.number || height <= cache.heightSeen) return false
  const doubtedAtMs = cache.doubted.get(from)
  if (doubtedAtMs !== undefined && nowMs - doubtedAtMs < DOUBT_MS) return false
  cache.heightSeen = height
  cache.heightSeenFrom = from
  cache.heightSeenAtMs = nowMs
  startEpoch(cache)
  return true
}

/**
 * Caches at most `bytesMax`. While nothing is asked for twice, only what is seen a second time is
 * cached: a flood of unique calls would fill memory with what nobody wants, and the garbage
 * collector would cost more than the cache saves.
 */
export function openResponseCache<T extends CacheEntry = CacheEntry>(bytesMax: number) {
  const entries = openTwoGenerationMap<string, T>({ weightMax: bytesMax / 2, weigh })
  /** Which keys came by lately: one fingerprint a slot, the newer one stays. */
  const seen = new Uint32Array(SEEN_SLOTS)
  let unused = 0

  const isSeenAgain = (key: string) => {
    const mark = Bun.hash.crc32(key)
    const slot = mark & (SEEN_SLOTS - 1)
    if (seen[slot] === mark) return true
    seen[slot] = mark
    return false
  }

  return {
    get(key: string): T | undefined {
      const entry = entries.get(key)
      if (entry) unused = 0
      return entry
    },
    set(key: string, entry: T): void {
      if (unused >= UNUSED_MAX && !isSeenAgain(key)) return
      unused++
      if (weigh(key, entry) <= bytesMax * SHARE_MAX) entries.set(key, entry)
    },
    clear: entries.clear,
    get bytes(): number {
      return entries.weight
    },
  }
}

function weigh(key: string, entry: CacheEntry): number {
  return key.length + entry.text.length + ENTRY_BYTES
}
