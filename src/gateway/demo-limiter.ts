import {
  deductFromBucket,
  fullBucket,
  returnToBucket,
  type TokenBucket,
  takeFromBucket,
} from '../core/billing/token-bucket.ts'
import type { Rejection } from '../core/errors.ts'
import type { Method } from '../core/rpc/method-registry.ts'
import { openTwoGenerationMap } from '../core/two-generation-map.ts'
import type { LimitExchange } from '../metering/limit-exchange.ts'
import { tooFast } from '../metering/spend-guard.ts'
import type { Clock } from '../ports/clock.ts'

/** The demo key is shared, so each address has a limit of its own. */
const DEMO_CU_PER_SECOND = 50

/** Addresses remembered in each of two generations; a full bucket is all that is forgotten. */
const ADDRESSES_MAX = 10_000

/** A large body has to be paid for before it is read, if only with the smallest price. */
const BODY_CENTI_CU = 1

/** Tells the limits of the demo key from those of teams. */
const KEY_PREFIX = 'demo '

export type DemoLimiter = ReturnType<typeof openDemoLimiter>

/**
 * Limits callers of the demo key, who are told apart by `callerName`. `exchange` is null where no
 * other process serves.
 */
export function openDemoLimiter(clock: Clock, publicUrl: string, exchange: LimitExchange | null) {
  const buckets = openTwoGenerationMap<string, TokenBucket>({ weightMax: ADDRESSES_MAX })

  const bucketOf = (caller: string, nowMs: number): TokenBucket => {
    const known = buckets.get(caller)
    if (known) return known
    const bucket = fullBucket(DEMO_CU_PER_SECOND, nowMs)
    buckets.set(caller, bucket)
    return bucket
  }

  const take = (caller: string, priceCentiCu: number): Rejection | null => {
    const nowMs = clock.nowMs()
    const bucket = bucketOf(caller, nowMs)
    const waitS = takeFromBucket(bucket, DEMO_CU_PER_SECOND, priceCentiCu, nowMs)
    if (waitS > 0) return tooFast(publicUrl, DEMO_CU_PER_SECOND, waitS)
    exchange?.took(KEY_PREFIX + caller, priceCentiCu, 0, DEMO_CU_PER_SECOND)
    return null
  }

  const unsubscribe = exchange?.subscribe((key, { throughputCentiCu }) => {
    if (!key.startsWith(KEY_PREFIX)) return
    const nowMs = clock.nowMs()
    const bucket = bucketOf(key.slice(KEY_PREFIX.length), nowMs)
    deductFromBucket(bucket, DEMO_CU_PER_SECOND, throughputCentiCu, nowMs)
  })

  return {
    admit: (caller: string, method: Method) => take(caller, method.throughputCentiCu),
    /** Admits a large body, before it is known what it asks for. */
    admitBody: (caller: string) => take(caller, BODY_CENTI_CU),
    /** Returns what a call took that failed on our side. */
    refund(caller: string, method: Method): void {
      const nowMs = clock.nowMs()
      const { throughputCentiCu } = method
      const bucket = bucketOf(caller, nowMs)
      const back = returnToBucket(bucket, DEMO_CU_PER_SECOND, throughputCentiCu, nowMs)
      exchange?.took(KEY_PREFIX + caller, -back, 0, DEMO_CU_PER_SECOND)
    },
    stop: (): void => unsubscribe?.(),
  }
}

/** One household holds a whole /64 of IPv6, so its last half does not tell clients apart. */
export function demoClient(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address
  const [head = '', tail = ''] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const tailGroups = tail === '' ? [] : tail.split(':')
  while (groups.length + tailGroups.length < 8) groups.push('0')
  return [...groups, ...tailGroups].slice(0, 4).join(':')
}
