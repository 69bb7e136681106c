import type { HeadView } from '../../core/rpc/cache-policy.ts'
import { type CacheEntry, openResponseCache, type ResponseCache } from './response-cache.ts'

/**
 * Answers that hold for one head. A new head, a reorganisation or a write of our
 * own starts a new epoch, in which everything misses by construction.
 */
export type HeadCache = {
  /** Counts the changes of the chain as far as they were noticed here. */
  epoch: number
  hash: string
  /** The highest block that any answer spoke of. */
  heightSeen: number
  heightSeenAtMs: number
  /** The upstream whose answer that was; empty where another process heard it. */
  heightSeenFrom: string
  /** Upstreams that spoke of blocks which nobody confirmed, and when that was found out. */
  doubted: Map<string, number>
  answers: ResponseCache<DatedEntry>
  ageMsMax: number
}

type DatedEntry = CacheEntry & { atMs: number }

/** A height nobody confirms within this time was a lie, and caching goes on. */
const UNCONFIRMED_MS_MAX = 10_000

/** After that its upstream is not heard for a while, lest it keep answers from being cached. */
const DOUBT_MS = 100_000

export function openHeadCache(bytesMax: number, ageMsMax: number): HeadCache {
  return {
    epoch: 0,
    hash: '',
    heightSeen: 0,
    heightSeenAtMs: 0,
    heightSeenFrom: '',
    doubted: new Map(),
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

export function headGet(cache: HeadCache, key: string, nowMs: number): CacheEntry | undefined {
  const entry = cache.answers.get(key)
  return entry && nowMs - entry.atMs <= cache.ageMsMax ? entry : undefined
}

export function headSet(cache: HeadCache, key: string, entry: CacheEntry, nowMs: number): void {
  cache.answers.set(key, { text: entry.text, upstream: entry.upstream, atMs: nowMs })
}
