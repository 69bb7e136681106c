/**
 * A token bucket of requests with room for one second's worth. Counted in thousandths of a
 * request, so that a millisecond refills a whole number at any whole rate. It may owe something:
 * our own polls and reads are not held up, and other processes take from it as well.
 */
export type RequestBucket = { perSecond: number; tokens: number; atMs: number }

const TOKENS_PER_REQUEST = 1000

export function fullRequestBucket(perSecond: number, nowMs: number): RequestBucket {
  return { perSecond, tokens: capacity(perSecond), atMs: nowMs }
}

/** The requests that may be sent now, in parts of one; less than nothing is owed. */
export function requestsLeft(bucket: RequestBucket, nowMs: number): number {
  refill(bucket, nowMs)
  return bucket.tokens / TOKENS_PER_REQUEST
}

/** Takes requests out, whatever is left; at most a second's worth is owed. */
export function takeRequests(bucket: RequestBucket, requests: number, nowMs: number): void {
  refill(bucket, nowMs)
  const left = bucket.tokens - requests * TOKENS_PER_REQUEST
  bucket.tokens = Math.max(-capacity(bucket.perSecond), left)
}

function refill(bucket: RequestBucket, nowMs: number): void {
  const elapsedMs = Math.max(0, nowMs - bucket.atMs)
  bucket.atMs = nowMs
  const { perSecond, tokens } = bucket
  bucket.tokens = Math.min(capacity(perSecond), tokens + elapsedMs * perSecond)
}

function capacity(perSecond: number): number {
  return perSecond * TOKENS_PER_REQUEST
}
