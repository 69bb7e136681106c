import { type BloomBits, openBloomBits } from '../../core/chain/logs-bloom.ts'
import type { Clock } from '../../ports/clock.ts'
import type { PoolAnswer } from '../pool/routed-request.ts'
import { type Coalescer, openCoalescer } from './coalesce.ts'
import { type HeadCache, openHeadCache } from './head-cache.ts'
import { openResponseCache, type ResponseCache } from './response-cache.ts'

/** A quarter of the cache is for answers that live as long as one head. */
const HEAD_SHARE = 0.25

/** What a network remembers for the next calls and blocks. */
export type AnswerCaches = {
  forever: ResponseCache
  atHead: HeadCache
  /** Calls under way that others may join. */
  flights: Coalescer<PoolAnswer>
  /** Hashes that the check of the next block needs again. */
  bloomBits: BloomBits
}

export function openAnswerCaches(
  clock: Clock,
  bytesMax: number,
  latestMaxAgeMs: number,
): AnswerCaches {
  return {
    forever: openResponseCache(bytesMax * (1 - HEAD_SHARE)),
    atHead: openHeadCache(bytesMax * HEAD_SHARE, latestMaxAgeMs),
    flights: openCoalescer<PoolAnswer>(() => clock.monotonicMs()),
    bloomBits: openBloomBits(),
  }
}
