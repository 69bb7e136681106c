import { assert } from '../errors.ts'
import { CENTI_PER_CU } from './plan.ts'

/**
 * A token bucket in whole numbers. One token is a thousandth of a hundredth of a
 * CU, so that a millisecond refills a whole number of tokens at any whole rate.
 */
export type Bucket = { tokens: number; atMs: number }

/** Over ten seconds a team may use ten times its rate, in any rhythm. */
const BURST_SECONDS = 10
const TOKENS_PER_CENTI_CU = 1000

export type Admission =
  | { admitted: true }
  | { admitted: false; retryAfterS: number; remainingCu: number }

export function fullBucket(cuPerSecond: number, nowMs: number): Bucket {
  return { tokens: capacity(cuPerSecond), atMs: nowMs }
}

/** Takes a call's price out of the bucket, or says when it will be there. Changes the bucket. */
export function takeFromBucket(
  bucket: Bucket,
  cuPerSecond: number,
  priceCentiCu: number,
  nowMs: number,
): Admission {
  assert(Number.isInteger(priceCentiCu) && priceCentiCu >= 0, 'a price is a whole number')
  refill(bucket, cuPerSecond, nowMs)
  const price = priceCentiCu * TOKENS_PER_CENTI_CU
  // A single call dearer than the whole burst must not be refused for ever.
  const needed = Math.min(price, capacity(cuPerSecond))
  if (bucket.tokens >= needed) {
    bucket.tokens -= needed
    return { admitted: true }
  }
  const waitMs = Math.ceil((needed - bucket.tokens) / tokensPerMs(cuPerSecond))
  return {
    admitted: false,
    retryAfterS: Math.max(1, Math.ceil(waitMs / 1000)),
    remainingCu: remainingCu(bucket),
  }
}

/** Gives back what a call took that then cost nothing. */
export function returnToBucket(bucket: Bucket, cuPerSecond: number, priceCentiCu: number): void {
  const tokens = bucket.tokens + priceCentiCu * TOKENS_PER_CENTI_CU
  bucket.tokens = Math.min(capacity(cuPerSecond), tokens)
}

export function burstCu(cuPerSecond: number): number {
  return cuPerSecond * BURST_SECONDS
}

function refill(bucket: Bucket, cuPerSecond: number, nowMs: number): void {
  // A clock set back must not take tokens away, nor hand them out twice later.
  const elapsedMs = Math.max(0, nowMs - bucket.atMs)
  bucket.atMs = nowMs
  const full = capacity(cuPerSecond)
  const msToFull = Math.ceil((full - bucket.tokens) / tokensPerMs(cuPerSecond))
  bucket.tokens =
    elapsedMs >= msToFull ? full : bucket.tokens + elapsedMs * tokensPerMs(cuPerSecond)
}

function remainingCu(bucket: Bucket): number {
  return Math.floor(bucket.tokens / TOKENS_PER_CENTI_CU / CENTI_PER_CU)
}

function tokensPerMs(cuPerSecond: number): number {
  return (cuPerSecond * CENTI_PER_CU * TOKENS_PER_CENTI_CU) / 1000
}

function capacity(cuPerSecond: number): number {
  return cuPerSecond * BURST_SECONDS * CENTI_PER_CU * TOKENS_PER_CENTI_CU
}

/**
 * True when a month has no room for a call. A free call needs room too: a month
 * that is used up stops everything, as it does at the hosted services.
 */
export function monthIsFull(
  usedCentiCu: number,
  priceCentiCu: number,
  monthlyCu: number | null,
): boolean {
  if (monthlyCu === null) return false
  return usedCentiCu + Math.max(1, priceCentiCu) > monthlyCu * CENTI_PER_CU
}
