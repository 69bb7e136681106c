import { classifyError, judgeError } from '../../core/rpc/error-classes.ts'
import type { NodeError } from '../../core/rpc/node-reply.ts'
import type { Failed, Reply } from '../node/rpc-client.ts'
import { noteFailure, noteSuccess, noteThrottled } from '../node/upstream.ts'
import { learnHedge } from './hedge-book.ts'
import type { Attempt, PoolAnswer, PoolCall, UpstreamPool } from './run.ts'
import { review } from './selection.ts'

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
  const { class: verdict, byWords } = verdictOn(pool, run.call, error)
  if (verdict === 'throttled' || verdict === 'refused') {
    // Words alone may be anybody's. What is true of us altogether is said to polls as well.
    if (byWords) upstream.lastOkAtMs = nowMs
    else if (verdict === 'throttled') noteThrottled(upstream, 0, nowMs)
    else noteFailure(upstream, 'credentials refused', nowMs)
    review(pool.selection)
    return null
  }
  const { callersDoing } = run.call.of
  if (verdict === 'internal') {
    // Neither good nor bad until others were asked; a write may have been done before it broke.
    // What was asked for may have been too much for this one node, which is not its fault.
    if (!callersDoing) run.doubted.push(upstream)
    run.mayHaveLanded = true
    upstream.lastOkAtMs = nowMs
  } else {
    noteAnswered(pool, attempt, nowMs)
  }
  if (verdict === 'unclear') run.mayHaveLanded = true
  if (verdict === 'caller') return answer
  // What code of the caller's may have said is not worth remembering.
  const isSure = !(byWords && callersDoing)
  if (verdict === 'unsupported' && isSure) run.lacking = [...(run.lacking ?? []), upstream]
  // Between "I don't have this method" and "I lack this block", the second tells more.
  if (run.fallback === null || verdict !== 'unsupported') run.fallback = answer
  return null
}

/** What is read here was asked for in our own words, and the node's can be believed. */
function verdictOn({ network }: UpstreamPool, call: PoolCall, error: NodeError) {
  if (call.whole !== true) return judgeError(network.kind, error, call)
  return { class: classifyError(network.kind, error.code, error.message), byWords: false }
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
  run.reason = reply.reason
  // Else whoever sends calls that are too much could take every node out for all others.
  const tookLong = reply.timedOut && run.call.of.callersDoing && !wasSilent(attempt)
  if (reply.blameless || tookLong) return
  if (reply.throttled) noteThrottled(upstream, reply.retryAfterMs, nowMs)
  else noteFailure(upstream, reply.reason, nowMs)
  review(pool.selection)
}

/** It has answered nothing since the call was sent, not even a poll. */
export function wasSilent({ upstream, startedAtMs }: Attempt): boolean {
  return upstream.lastOkAtMs < startedAtMs
}
