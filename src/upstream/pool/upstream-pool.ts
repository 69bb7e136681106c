import { Failure } from '../../core/errors.ts'
import { NO_PLACE } from '../../core/in-flight.ts'
import type { Network } from '../../core/network.ts'
import type { Clock } from '../../ports/clock.ts'
import { isStreamed, type Reply, type Streamed, type StreamedError } from '../node/rpc-client.ts'
import { noteFailure, openBreaker, type Upstream } from '../node/upstream.ts'
import { classifyReply, noteSuspected, wasSilent } from './classify-reply.ts'
import { guardStream } from './guard-stream.ts'
import {
  type Attempt,
  earnHedge,
  hedgeDelayMs,
  NOT_BEGUN,
  newHedging,
  newRequest,
  openAttemptWatch,
  type PoolAnswer,
  type PoolCall,
  type RoutedRequest,
  releasePlace,
  spendHedge,
  takeShare,
  type UpstreamPool,
} from './routed-request.ts'
import {
  halfOpenUpstream,
  hasCreditsFor,
  isFull,
  isUsable,
  pick,
  review,
  type Selection,
  TIER_MAX,
  waitsForShare,
} from './selection.ts'
import { openShareQueues, openWaitQueue } from './wait-queue.ts'

/** A request as a whole ends here, however many upstreams are left to try. */
const REQUEST_MS_MAX = 45_000
/** Heavy calls scan the chain; they get longer before they count as hung. */
const HEAVY_FACTOR = 3
/** No healthy node takes this long for a balance or a block number. */
const STALL_MS = 2000
const STREAM_IDLE_MS_MAX = 30_000

export function openUpstreamPool(
  clock: Clock,
  network: Network,
  selection: Selection,
  relays: readonly Upstream[] = [],
): UpstreamPool {
  const watch = openAttemptWatch<Attempt>(clock, {
    onLate: (attempt) => hedge(pool, attempt),
    onStall: (attempt, nowMs) => suspectHang(pool, attempt, nowMs),
    onDeadline: (attempt) => attempt.cancel(),
  })
  const pool: UpstreamPool = {
    clock,
    network,
    selection,
    relays,
    hedging: newHedging(),
    watch,
    queue: openWaitQueue<RoutedRequest>(clock),
    shareQueues: openShareQueues<RoutedRequest>(clock),
  }
  return pool
}

/**
 * Answers from the first upstream that can; throws a Failure when none could.
 * Hot path: one promise and one attempt a call, timed by the shared watch.
 */
export function requestAny(pool: UpstreamPool, call: PoolCall): Promise<PoolAnswer> {
  const { selection, queue, shareQueues } = pool
  if (selection.isProbing) mirror(pool, call)
  earnHedge(pool.hedging)
  const { promise, resolve, reject } = Promise.withResolvers<PoolAnswer>()
  const request = newRequest('routed', call, resolve, reject)
  if (waitsForShare(selection, call)) {
    shareQueues.enqueue(call.share ?? '', request)
    return promise
  }
  // New requests queue behind waiting ones.
  if (queue.length > 0) drainQueues(pool)
  const upstream = queue.length === 0 ? pick(selection, call, request.tried) : null
  if (upstream) start(pool, request, upstream)
  else if (queue.length > 0 || hasRoomSoon(pool, request)) queue.enqueue(request)
  else reject(new Failure('upstream_unreachable'))
  return promise
}

/** Asks exactly one upstream, as a filter needs that lives there. */
export function requestFrom(
  pool: UpstreamPool,
  upstream: Upstream,
  call: PoolCall,
): Promise<PoolAnswer> {
  if (!hasCreditsFor(upstream, call.whole === true)) {
    return Promise.reject(new Failure('upstream_unreachable', { reason: 'no credits' }))
  }
  return new Promise<PoolAnswer>((resolve, reject) => {
    start(pool, newRequest('pinned', call, resolve, reject), upstream)
  })
}

/** Launches requests that wait for a place; called whenever an upstream has finished a call. */
export function drainQueues(pool: UpstreamPool): void {
  pool.queue.drain((request) => launch(pool, request))
  pool.shareQueues.drain((request) => launch(pool, request))
}

/** An upstream that was not asked yet could take the call, were it not full. */
function hasRoomSoon({ selection }: UpstreamPool, request: RoutedRequest): boolean {
  return selection.upstreams.some((upstream) => {
    const full = isFull(upstream, request.call)
    return full && isUsable(upstream) && !request.tried.includes(upstream)
  })
}

/** Sends the call to the next upstream; false when there is none to ask. */
function launch(
  pool: UpstreamPool,
  request: RoutedRequest,
  tierMax: number = TIER_MAX.any,
): boolean {
  const isPinned = request.kind !== 'routed'
  const upstream = isPinned ? null : pick(pool.selection, request.call, request.tried, tierMax)
  if (upstream) start(pool, request, upstream)
  return upstream !== null
}

const NOTHING_SENT = () => {}

function start(pool: UpstreamPool, request: RoutedRequest, upstream: Upstream): void {
  const nowMs = pool.clock.monotonicMs()
  const { call } = request
  if (request.deadlineMs === NOT_BEGUN) request.deadlineMs = nowMs + REQUEST_MS_MAX
  request.tried.push(upstream)
  request.running++
  upstream.inFlight++
  const isFirst = request.kind === 'routed' && request.tried.length === 1
  const mayHedge = call.of.safety === 'read' && isFirst && call.unhedged !== true
  const attempt: Attempt = {
    request,
    upstream,
    startedAtMs: nowMs,
    hedgeAtMs: mayHedge
      ? nowMs + hedgeDelayMs(pool.hedging, call.of.label)
      : Number.POSITIVE_INFINITY,
    stallAtMs: nowMs + (call.of.callersDoing ? patientStallMs(pool.network) : STALL_MS),
    deadlineMs: Math.min(
      nowMs + upstream.spec.timeoutMs * (call.of.heavy ? HEAVY_FACTOR : 1),
      request.deadlineMs,
    ),
    place: NO_PLACE,
    cancel: NOTHING_SENT,
    sharedBy: undefined,
  }
  if (call.heavy) takeShare(attempt)
  pool.watch.add(attempt)
  const repeatable = call.of.safety !== 'write'
  const done = (reply: Reply) => finish(pool, attempt, reply)
  const { method, paramsText, whole, trace } = call
  attempt.cancel = upstream.client.call(method, paramsText, repeatable, done, whole, trace)
}

/** Long enough for a poll to be answered meanwhile, which clears the node. */
function patientStallMs({ headPollMs }: Network): number {
  return Math.max(STALL_MS * HEAVY_FACTOR, STALL_MS + headPollMs)
}

function finish(pool: UpstreamPool, attempt: Attempt, reply: Reply): void {
  pool.watch.remove(attempt)
  const { request } = attempt
  const nowMs = pool.clock.monotonicMs()
  request.running--
  if (isStreamed(reply)) keepWatching(pool, attempt, reply)
  else releasePlace(attempt)
  if (pool.queue.length > 0 || pool.shareQueues.length > 0) drainQueues(pool)

  const answer = classifyReply(pool, attempt, reply, nowMs)
  if (request.settled) {
    if (isStreamed(reply)) reply.stream.cancel().catch(() => {})
    return
  }
  if (answer) {
    request.settled = true
    noteSuspected(request, answer, nowMs)
    request.resolve(answer)
    return
  }
  tryNext(pool, request, nowMs)
}

function tryNext(pool: UpstreamPool, request: RoutedRequest, nowMs: number): void {
  const unsafe = request.call.of.safety === 'write' && request.mayHaveLanded
  const over = unsafe || nowMs >= request.deadlineMs
  if (!over && launch(pool, request, TIER_MAX.good)) return
  if (request.running > 0) return
  // With a node's own word at hand, one that hangs or fails is not worth waiting for.
  const tierMax = request.fallback ? TIER_MAX.answering : TIER_MAX.any
  if (!over && (retryGood(pool, request) || launch(pool, request, tierMax))) return
  // A request that a dead node held must not fail because the good one is busy with the others.
  if (!over && !request.fallback && hasRoomSoon(pool, request)) {
    const { call } = request
    if (waitsForShare(pool.selection, call)) pool.shareQueues.enqueue(call.share ?? '', request)
    else pool.queue.enqueue(request)
    return
  }
  request.settled = true
  if (request.fallback) request.resolve(request.fallback)
  else request.reject(unanswered(request))
}

function unanswered({ timedOut, reason }: RoutedRequest): Failure {
  return new Failure(timedOut ? 'upstream_timed_out' : 'upstream_unreachable', { reason })
}

/**
 * A connection that broke says little of its node. Before one is asked that fails
 * or has diverged, those that do well otherwise are asked a second time.
 */
function retryGood(pool: UpstreamPool, request: RoutedRequest): boolean {
  if (request.kind !== 'routed' || request.isRetried) return false
  if (request.timedOut || request.fallback) return false
  request.isRetried = true
  if (!pick(pool.selection, request.call, [], TIER_MAX.good)) return false
  request.tried = []
  return launch(pool, request, TIER_MAX.good)
}

/** A stream holds its place at the upstream, and its clock runs while bytes are waited for. */
function keepWatching(pool: UpstreamPool, attempt: Attempt, reply: Streamed | StreamedError): void {
  attempt.hedgeAtMs = Number.POSITIVE_INFINITY
  attempt.stallAtMs = Number.POSITIVE_INFINITY
  attempt.upstream.streaming++
  takeShare(attempt)
  reply.stream = guardStream(reply.stream, {
    waiting() {
      attempt.deadlineMs = pool.clock.monotonicMs() + STREAM_IDLE_MS_MAX
      pool.watch.add(attempt)
    },
    arrived: () => pool.watch.remove(attempt),
    ended: () => {
      attempt.upstream.streaming--
      releasePlace(attempt)
      drainQueues(pool)
    },
  })
}

function hedge(pool: UpstreamPool, attempt: Attempt): void {
  attempt.hedgeAtMs = Number.POSITIVE_INFINITY
  const { request } = attempt
  if (!request.settled && spendHedge(pool.hedging)) launch(pool, request, TIER_MAX.good)
}

/**
 * A light call unanswered for this long has failed, whatever comes later. When the
 * upstream answered nothing else meanwhile, not even a poll, it is taken out.
 */
function suspectHang(pool: UpstreamPool, attempt: Attempt, nowMs: number): void {
  const { request, upstream } = attempt
  attempt.stallAtMs = Number.POSITIVE_INFINITY
  const silent = wasSilent(attempt)
  const { heavy, callersDoing, safety } = request.call.of
  // A heavy call may take its time as long as its node answers anything at all.
  if (heavy && !silent) return
  // The caller's own code may too, though another node may be faster with it.
  if (silent || !callersDoing) noteFailure(upstream, 'hangs', nowMs)
  if (silent && upstream.breaker.state === 'closed') openBreaker(upstream, nowMs)
  review(pool.selection)
  // A read that the silent node was given is asked of the next one at once.
  if (!request.settled && safety === 'read') launch(pool, request, TIER_MAX.good)
}

/** Probes an upstream whose breaker is half open with a copy, at nobody's expense. */
function mirror(pool: UpstreamPool, call: PoolCall): void {
  const upstream = halfOpenUpstream(pool.selection)
  if (!upstream || call.of.heavy || call.of.safety !== 'read') return
  upstream.breaker.isProbing = true
  const done = () => {
    upstream.breaker.isProbing = false
    review(pool.selection)
  }
  const proven = (answer: PoolAnswer) => {
    if (isStreamed(answer.reply)) answer.reply.stream.cancel().catch(() => {})
    if (request.suspected.length > 0)
      noteFailure(upstream, 'internal error', pool.clock.monotonicMs())
    done()
  }
  const request = newRequest('mirrored', call, proven, done)
  start(pool, request, upstream)
}
