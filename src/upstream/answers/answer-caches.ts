import type { Clock } from '../../ports/clock.ts'
import type { PoolAnswer } from '../pool/run.ts'
import { openCoalescer } from './coalesce.ts'
import { openHeadCache } from './head-cache.ts'
import { openResponseCache } from './response-cache.ts'

/** A quarter of the cache is for answers that live as long as one head. */
const HEAD_SHARE = 0.25

/** What a network keeps of its answers, and the calls under way that others may join. */
export function openAnswerCaches(clock: Clock, bytesMax: number, latestMaxAgeMs: number) {
  return {
    forever: openResponseCache(bytesMax * (1 - HEAD_SHARE)),
    atHead: openHeadCache(bytesMax * HEAD_SHARE, latestMaxAgeMs),
    flights: openCoalescer<PoolAnswer>(() => clock.monotonicMs()),
  }
}
