import { classifyError } from '../core/rpc/error-classes.ts'
import type { NodeError } from '../core/rpc/node-reply.ts'
import { learnHedge } from './hedge-book.ts'
import type { Failed, Reply } from './rpc-client.ts'
import type { Attempt, PoolAnswer, UpstreamPool } from './run.ts'
import { review } from './selection.ts'
import { noteFailure, noteLacks, noteSuccess, noteThrottled } from './upstream.ts'

/**
 * The answer to give, or null when another upstream should be asked. Notes what it says of
 * this one.
 */
export function weighReply(
  pool: UpstreamPool,
  attempt: Attempt,
  reply: Reply,
  nowMs: number,
): PoolAnswer | null {
  if (reply.kind === 'failed') {
    noteFailed(pool, attempt, reply, nowMs)
    return null
  }
  const answer: PoolAnswer = {
    reply,
    upstream: attempt.upstream.spec.name,
    unclearBefore: attempt.run.mayHaveLanded,
  }
  if (reply.kind === 'error') return weighError(pool, attempt, reply, answer, nowMs)
  noteAnswered(pool, attempt, nowMs)
  return answer
}

function weighError(
  pool: UpstreamPool,
  attempt: Attempt,
  error: NodeError,
  answer: PoolAnswer,
  nowMs: number,
): PoolAnswer | null {
  const { run, upstream } = attempt
  const verdict = classifyError(pool.network.kind, error.code, error.message)
  if (verdict === 'throttled') {
    noteThrottled(upstream, 0, nowMs)
    review(pool.selection)
    return null
  }
  if (verdict === 'refused') {
    if (noteFailure(upstream, 'credentials refused', nowMs)) review(pool.selection)
    return null
  }
  if (verdict === 'internal') {
    // Neither good nor bad until others were asked; a write may have been done before it broke.
    run.doubted.push(upstream)
    run.mayHaveLanded = true
    upstream.lastOkAtMs = nowMs
  } else {
    noteAnswered(pool, attempt, nowMs)
  }
  if (verdict === 'unclear') run.mayHaveLanded = true
  if (verdict === 'caller') return answer
  // Made-up names are not worth remembering, and may be of any length.
  const { label } = run.call.of
  if (verdict === 'unsupported' && label !== 'other') noteLacks(upstream, run.call.method, nowMs)
  // Between "I don't have this method" and "I lack this block", the second tells more.
  if (run.fallback === null || verdict !== 'unsupported') run.fallback = answer
  return null
}

function noteAnswered(pool: UpstreamPool, attempt: Attempt, nowMs: number): void {
  const tookMs = nowMs - attempt.startedAtMs
  noteSuccess(attempt.upstream, tookMs, nowMs)
  learnHedge(pool.hedges, attempt.run.call.of.label, tookMs)
}

function noteFailed(pool: UpstreamPool, attempt: Attempt, reply: Failed, nowMs: number): void {
  const { run, upstream } = attempt
  run.timedOut ||= reply.timedOut
  run.mayHaveLanded ||= reply.mayHaveLanded
  // Else whoever sends calls that are too long could take every node out for all others.
  if (reply.tooLong) return
  if (reply.throttled) noteThrottled(upstream, reply.retryAfterMs, nowMs)
  else noteFailure(upstream, reply.reason, nowMs)
  review(pool.selection)
}
