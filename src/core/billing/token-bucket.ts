import { assert } from '../errors.ts'
import { CENTI_PER_CU } from './plan.ts'

/**
 * A token bucket in whole numbers. One token is a thousandth of a hundredth of a
 * CU, so that a millisecond refills a whole number of tokens at any whole rate.
 * Fewer than none is a debt, which is refilled before anything else passes.
 */
export type TokenBucket = Level & {
  /** The tokens that may still be given back; null until some were. */
  refunds: Level | null
}

type Level = { tokens: number; atMs: number }

/** Over ten seconds a team may use ten times its rate, in any rhythm. */
const BURST_SECONDS = 10
const TOKENS_PER_CENTI_CU = 1000

export function fullBucket(cuPerSecond: number, nowMs: number): TokenBucket {
  return { tokens: capacity(cuPerSecond), atMs: nowMs, refunds: null }
}

/**
 * Takes a call's price out of the bucket: zero, or the whole seconds after which a call will
 * pass. A caller with anything left may make any one call, however dear; what it cost beyond
 * that is a debt. Changes the bucket.
 */
export function takeFromBucket(
  bucket: TokenBucket,
  cuPerSecond: number,
  priceCentiCu: number,
  nowMs: number,
): number {
  assert(Number.isInteger(priceCentiCu) && priceCentiCu >= 0, 'a price is a whole number')
  refill(bucket, cuPerSecond, nowMs)
  if (bucket.tokens > 0 || priceCentiCu === 0) {
    bucket.tokens -= priceCentiCu * TOKENS_PER_CENTI_CU
    return 0
  }
  const waitMs = Math.ceil((1 - bucket.tokens) / tokensPerMs(cuPerSecond))
  return Math.max(1, Math.ceil(waitMs / 1000))
}

/**
 * Gives back what a call took that failed on our side, and returns how much that was. A caller
 * with nothing but such calls would have no limit at all, so what is given back has one of its
 * own, of the same size.
 */
export function returnToBucket(
  bucket: TokenBucket,
  cuPerSecond: number,
  priceCentiCu: number,
  nowMs: number,
): number {
  const full = capacity(cuPerSecond)
  bucket.refunds ??= { tokens: full, atMs: nowMs }
  const { refunds } = bucket
  refill(refunds, cuPerSecond, nowMs)
  if (refunds.tokens <= 0) return 0
  const tokens = priceCentiCu * TOKENS_PER_CENTI_CU
  refunds.tokens -= tokens
  bucket.tokens = Math.min(full, bucket.tokens + tokens)
  return priceCentiCu
}

/** Subtracts what others took of the same limit, whatever is left; they may have given back. */
export function deductFromBucket(
  bucket: TokenBucket,
  cuPerSecond: number,
  centiCu: number,
  nowMs: number,
): void {
  refill(bucket, cuPerSecond, nowMs)
  const left = bucket.tokens - centiCu * TOKENS_PER_CENTI_CU
  bucket.tokens = Math.min(capacity(cuPerSecond), left)
}

export function missingCentiCu(bucket: TokenBucket, cuPerSecond: number, nowMs: number): number {
  refill(bucket, cuPerSecond, nowMs)
  return Math.ceil((capacity(cuPerSecond) - bucket.tokens) / TOKENS_PER_CENTI_CU)
}

export function burstCu(cuPerSecond: number): number {
  return cuPerSecond * BURST_SECONDS
}

export function burstCentiCu(cuPerSecond: number): number {
  return burstCu(cuPerSecond) * CENTI_PER_CU
}

function refill(bucket: Level, cuPerSecond: number, nowMs: number): void {
  // A clock set back must not take tokens away, nor hand them out twice later.
  const elapsedMs = Math.max(0, nowMs - bucket.atMs)
  bucket.atMs = nowMs
  const full = capacity(cuPerSecond)
  const msToFull = Math.ceil((full - bucket.tokens) / tokensPerMs(cuPerSecond))
  bucket.tokens =
    elapsedMs >= msToFull ? full : bucket.tokens + elapsedMs * tokensPerMs(cuPerSecond)
}

function tokensPerMs(cuPerSecond: number): number {
  return (cuPerSecond * CENTI_PER_CU * TOKENS_PER_CENTI_CU) / 1000
}

function capacity(cuPerSecond: number): number {
  return cuPerSecond * BURST_SECONDS * CENTI_PER_CU * TOKENS_PER_CENTI_CU
}
