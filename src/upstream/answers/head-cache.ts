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
  answers: ResponseCache<DatedEntry>
  ageMsMax: number
}

type DatedEntry = CacheEntry & { atMs: number }

/** A height nobody confirms within this time was a lie, and caching goes on. */
const UNCONFIRMED_MS_MAX = 10_000

export function openHeadCache(bytesMax: number, ageMsMax: number): HeadCache {
  return {
    epoch: 0,
    hash: '',
    heightSeen: 0,
    heightSeenAtMs: 0,
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
  const unconfirmed = cache.heightSeen > head.number
  return !unconfirmed || nowMs - cache.heightSeenAtMs > UNCONFIRMED_MS_MAX
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
): boolean {
  if (head === null || height <= head.number || height <= cache.heightSeen) return false
  cache.heightSeen = height
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
