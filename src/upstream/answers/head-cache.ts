import type { HeadView } from '../../core/rpc/cache-policy.ts'
import { type Kept, openResponseCache, type ResponseCache } from './response-cache.ts'

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
  answers: ResponseCache<DatedKept>
  ageMsMax: number
}

type DatedKept = Kept & { atMs: number }

/** A height nobody confirms within this time was a lie, and caching goes on. */
const UNCONFIRMED_MS_MAX = 10_000

export function openHeadCache(bytesMax: number, ageMsMax: number): HeadCache {
  return {
    epoch: 0,
    hash: '',
    heightSeen: 0,
    heightSeenAtMs: 0,
    answers: openResponseCache<DatedKept>(bytesMax),
    ageMsMax,
  }
}

/** Follows the head; true when answers may be kept for it. */
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
 * An answer spoke of a block beyond the head we know: whoever saw it must not be
 * shown the older state. True when that is news.
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

export function headGet(cache: HeadCache, key: string, nowMs: number): Kept | undefined {
  const kept = cache.answers.get(key)
  return kept && nowMs - kept.atMs <= cache.ageMsMax ? kept : undefined
}

export function headSet(cache: HeadCache, key: string, kept: Kept, nowMs: number): void {
  cache.answers.set(key, { text: kept.text, upstream: kept.upstream, atMs: nowMs })
}
