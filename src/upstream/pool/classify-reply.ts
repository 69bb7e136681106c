import { logRefusal } from '../../core/logs/log-refusal.ts'
import { classifyError, judgeError } from '../../core/rpc/error-classes.ts'
import type { NodeError } from '../../core/rpc/node-reply.ts'
import type { Reply, RpcFailure } from '../node/rpc-client.ts'
import {
  noteFailure,
  noteSuccess,
  noteThrottled,
  noteUnsupported,
  type Upstream,
} from '../node/upstream.ts'
import { tallyAnswered, tallyFailed, tallyUnclear } from '../node/upstream-tally.ts'
import {
  type Attempt,
  learnHedge,
  type PoolAnswer,
  type PoolCall,
  type RoutedRequest,
  type UpstreamPool,
} from './routed-request.ts'
import { review } from './selection.ts'

/**
 * The answer to give, or null when another upstream should be asked. Notes what it says of
 * this one.
 */
export function classifyReply(
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
    unclearBefore: attempt.request.mayHaveLanded,
  }
  if (reply.kind === 'error') return classifyErrorReply(pool, attempt, reply, answer, nowMs)
  noteAnswered(pool, attempt, nowMs)
  return answer
}

function classifyErrorReply(
  pool: UpstreamPool,
  attempt: Attempt,
  error: NodeError,
  answer: PoolAnswer,
  nowMs: number,
): PoolAnswer | null {
  const { request, upstream } = attempt
  const { class: verdict, byWords } = verdictOn(pool, request.call, error)
  request.call.heardError?.(upstream, error)
  if (verdict === 'throttled' || verdict === 'refused') {
    if (byWords) tallyUnclear(upstream.tally)
    else tallyFailed(upstream.tally)
    // Words alone may be anybody's. What is true of us altogether is said to polls as well.
    if (byWords) upstream.lastOkAtMs = nowMs
    else if (verdict === 'throttled') throttle(pool, upstream, 0, nowMs)
    else fail(pool, upstream, 'credentials refused', nowMs)
    return null
  }
  const { callersDoing } = request.call.of
  if (verdict === 'internal') {
    // Neither good nor bad until others were asked; a write may have been done before it broke.
    // A call may have been too much for this one node, which is not its fault.
    if (!callersDoing) request.suspected.push(upstream)
    if (callersDoing) tallyUnclear(upstream.tally)
    else tallyFailed(upstream.tally)
    request.mayHaveLanded = true
    upstream.lastOkAtMs = nowMs
  } else {
    noteAnswered(pool, attempt, nowMs)
  }
  if (verdict === 'unclear') request.mayHaveLanded = true
  if (verdict === 'caller') return answer
  // An error that the caller's own code may have worded is not worth remembering.
  const isSure = !(byWords && callersDoing)
  if (verdict === 'unsupported' && isSure)
    request.unsupportedBy = [...(request.unsupportedBy ?? []), upstream]
  // Between "I don't have this method" and "I lack this block", the second tells more.
  if (request.fallback === null || verdict !== 'unsupported') request.fallback = answer
  return null
}

const TOO_MANY_LOGS = { class: 'elsewhere', byWords: true } as const

/** A call of our own is asked in our own words, so the node's can be believed. */
function verdictOn({ network }: UpstreamPool, call: PoolCall, error: NodeError) {
  // A limit for logs, whatever its code: it says nothing of how much else the node would do.
  if (call.logBlocks !== undefined && logRefusal(error, call.logBlocks)) return TOO_MANY_LOGS
  if (call.whole !== true) return judgeError(network.kind, error, call)
  return { class: classifyError(network.kind, error.code, error.message), byWords: false }
}

function noteAnswered(pool: UpstreamPool, attempt: Attempt, nowMs: number): void {
  const tookMs = nowMs - attempt.startedAtMs
  noteSuccess(attempt.upstream, tookMs, nowMs)
  tallyAnswered(attempt.upstream.tally, tookMs)
  learnHedge(pool.hedging, attempt.request.call.of.label, tookMs)
}

function noteFailed(pool: UpstreamPool, attempt: Attempt, reply: RpcFailure, nowMs: number): void {
  const { request, upstream } = attempt
  request.timedOut ||= reply.timedOut
  request.mayHaveLanded ||= reply.mayHaveLanded
  request.reason = reply.reason
  // Else whoever sends calls that are too much could take every node out for all others.
  const tookLong = reply.timedOut && request.call.of.callersDoing && !wasSilent(attempt)
  if (reply.blameless || tookLong) {
    tallyUnclear(upstream.tally)
    return
  }
  tallyFailed(upstream.tally)
  if (reply.throttled) throttle(pool, upstream, reply.retryAfterMs, nowMs)
  else fail(pool, upstream, reply.reason, nowMs)
}

/** Upstreams are judged again when one is taken out, not for each call that fails at it. */
function fail(pool: UpstreamPool, upstream: Upstream, reason: string, nowMs: number): void {
  if (noteFailure(upstream, reason, nowMs)) review(pool.selection)
}

function throttle(pool: UpstreamPool, upstream: Upstream, waitMs: number, nowMs: number): void {
  const isNew = upstream.throttledUntilMs <= nowMs
  noteThrottled(upstream, waitMs, nowMs)
  if (isNew) review(pool.selection)
}

/**
 * An internal error was the upstream's own when another had the answer. A method that another
 * has is unsupported here, not made up, and so is worth remembering.
 */
export function noteSuspected(request: RoutedRequest, answer: PoolAnswer, nowMs: number): void {
  if (answer.reply.kind === 'error' || answer.reply.kind === 'error_stream') return
  for (const upstream of request.suspected) noteFailure(upstream, 'internal error', nowMs)
  for (const upstream of request.unsupportedBy ?? [])
    noteUnsupported(upstream, request.call.method, nowMs)
}

/** The upstream has answered nothing since the call was sent, not even a poll. */
export function wasSilent({ upstream, startedAtMs }: Attempt): boolean {
  return upstream.lastOkAtMs < startedAtMs
}
