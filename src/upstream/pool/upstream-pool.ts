import { Failure } from '../../core/errors.ts'
import type { Network } from '../../core/network.ts'
import type { Clock } from '../../ports/clock.ts'
import { isStreamed, type Reply, type Streamed, type StreamedError } from '../node/rpc-client.ts'
import { noteFailure, noteLacks, noteShare, rest, type Upstream } from '../node/upstream.ts'
import { openAttemptWatch } from './attempt-watch.ts'
import { guardStream } from './guard-stream.ts'
import { earnHedge, hedgeDelayMs, newHedgeBook, spendHedge } from './hedge-book.ts'
import type { Attempt, PoolAnswer, PoolCall, Run, UpstreamPool } from './run.ts'
import { isFull, onTrial, pick, REACH, review, type Selection, waitsForShare } from './selection.ts'
import { openShareLines, openWaitingLine } from './waiting-line.ts'
import { wasSilent, weighReply } from './weigh-reply.ts'

/** A request as a whole ends here, however many upstreams are left to try. */
const REQUEST_MS_MAX = 45_000
/** Heavy calls scan the chain; they get longer before they count as hung. */
const HEAVY_FACTOR = 3
/** No healthy node takes so long for a balance or a block number. */
const STALL_MS = 2000
/** A stream that brings nothing for so long is broken off. */
const STREAM_IDLE_MS_MAX = 30_000

const NOTHING_SENT = () => {}

/** A run's time is set by its first attempt, which looks at the clock anyway. */
const NOT_BEGUN = -1

export function openUpstreamPool(
  clock: Clock,
  network: Network,
  selection: Selection,
): UpstreamPool {
  const watch = openAttemptWatch<Attempt>(clock, {
    onLate: (attempt) => hedge(pool, attempt),
    onStall: (attempt, nowMs) => suspectHang(pool, attempt, nowMs),
    onDeadline: (attempt) => attempt.cancel(),
  })
  const line = openWaitingLine<Run>(clock)
  const shareLines = openShareLines<Run>(clock)
  const hedges = newHedgeBook()
  const pool: UpstreamPool = { clock, network, selection, hedges, watch, line, shareLines }
  return pool
}

/**
 * Answers from the first upstream that can; throws a Failure when none could.
 * Hot path: one promise and one attempt a call, timed by the shared watch.
 */
export function requestAny(pool: UpstreamPool, call: PoolCall): Promise<PoolAnswer> {
  shadow(pool, call)
  earnHedge(pool.hedges)
  return new Promise<PoolAnswer>((resolve, reject) => {
    const run = newRun(call, false, resolve, reject)
    if (waitsForShare(pool.selection, call)) return pool.shareLines.join(call.share ?? '', run)
    // Whoever comes later does not overtake those who wait.
    if (pool.line.length > 0) moveLine(pool)
    if (pool.line.length === 0 && launch(pool, run)) return
    if (pool.line.length > 0 || hasRoomSoon(pool, run)) pool.line.join(run)
    else reject(new Failure('upstream_unreachable'))
  })
}

/** Asks exactly one upstream, as a filter needs that lives there. */
export function requestFrom(
  pool: UpstreamPool,
  upstream: Upstream,
  call: PoolCall,
): Promise<PoolAnswer> {
  return new Promise<PoolAnswer>((resolve, reject) => {
    start(pool, newRun(call, true, resolve, reject), upstream)
  })
}

/** Lets those go who wait for a place; called whenever an upstream has finished a call. */
export function moveLine(pool: UpstreamPool): void {
  pool.line.move((run) => launch(pool, run))
  pool.shareLines.move((run) => launch(pool, run))
}

/** One that was not asked yet could take the call, but for what it has in hand. */
function hasRoomSoon({ selection }: UpstreamPool, run: Run): boolean {
  return selection.upstreams.some((upstream) => {
    const full = isFull(upstream, run.call)
    return full && upstream.chain !== 'wrong' && !run.tried.includes(upstream)
  })
}

/** Sends the call to the next upstream; false when there is none to ask. */
function launch(pool: UpstreamPool, run: Run, reach: number = REACH.any): boolean {
  const upstream = run.only ? null : pick(pool.selection, run.call, run.tried, reach)
  if (upstream) start(pool, run, upstream)
  return upstream !== null
}

function start(pool: UpstreamPool, run: Run, upstream: Upstream): void {
  const nowMs = pool.clock.monotonicMs()
  const { call } = run
  if (run.deadlineMs === NOT_BEGUN) run.deadlineMs = nowMs + REQUEST_MS_MAX
  run.tried.push(upstream)
  run.running++
  upstream.inFlight++
  const isFirst = !run.only && run.tried.length === 1
  const mayHedge = call.of.safety === 'read' && isFirst && call.unhedged !== true
  const attempt: Attempt = {
    run,
    upstream,
    startedAtMs: nowMs,
    hedgeAtMs: mayHedge
      ? nowMs + hedgeDelayMs(pool.hedges, call.of.label)
      : Number.POSITIVE_INFINITY,
    stallAtMs: nowMs + (call.of.callersDoing ? patientStallMs(pool.network) : STALL_MS),
    deadlineMs: Math.min(
      nowMs + upstream.spec.timeoutMs * (call.of.heavy ? HEAVY_FACTOR : 1),
      run.deadlineMs,
    ),
    cancel: NOTHING_SENT,
    sharedBy: undefined,
  }
  if (call.heavy) share(attempt)
  pool.watch.add(attempt)
  const repeatable = call.of.safety !== 'write'
  const hear = (reply: Reply) => finish(pool, attempt, reply)
  const { method, paramsText, whole, trace } = call
  attempt.cancel = upstream.client.call(method, paramsText, repeatable, hear, whole, trace)
}

/** Long enough for a poll to be answered meanwhile, which clears the node. */
function patientStallMs({ headPollMs }: Network): number {
  return Math.max(STALL_MS * HEAVY_FACTOR, STALL_MS + headPollMs)
}

function finish(pool: UpstreamPool, attempt: Attempt, reply: Reply): void {
  pool.watch.remove(attempt)
  const { run } = attempt
  const nowMs = pool.clock.monotonicMs()
  run.running--
  if (isStreamed(reply)) keepWatching(pool, attempt, reply)
  else leave(attempt)
  if (pool.line.length > 0 || pool.shareLines.length > 0) moveLine(pool)

  const answer = weighReply(pool, attempt, reply, nowMs)
  if (run.settled) {
    if (isStreamed(reply)) reply.stream.cancel().catch(() => {})
    return
  }
  if (answer) {
    run.settled = true
    blame(run, answer, nowMs)
    run.resolve(answer)
    return
  }
  tryNext(pool, run, nowMs)
}

/**
 * An internal error was the upstream's own when another had the answer. A method that another
 * has is lacking, not made up, and so is worth remembering.
 */
function blame(run: Run, answer: PoolAnswer, nowMs: number): void {
  if (answer.reply.kind === 'error' || answer.reply.kind === 'error_stream') return
  for (const upstream of run.doubted) noteFailure(upstream, 'internal error', nowMs)
  for (const upstream of run.lacking ?? []) noteLacks(upstream, run.call.method, nowMs)
}

function tryNext(pool: UpstreamPool, run: Run, nowMs: number): void {
  const unsafe = run.call.of.safety === 'write' && run.mayHaveLanded
  const over = unsafe || nowMs >= run.deadlineMs
  if (!over && launch(pool, run, REACH.good)) return
  if (run.running > 0) return
  // With a node's own word at hand, one that hangs or fails is not worth waiting for.
  const reach = run.fallback ? REACH.answering : REACH.any
  if (!over && (askAgain(pool, run) || launch(pool, run, reach))) return
  // What a dead node had in hand must not fail because the good one is busy with the rest.
  if (!over && !run.fallback && hasRoomSoon(pool, run)) {
    const { call } = run
    if (waitsForShare(pool.selection, call)) pool.shareLines.join(call.share ?? '', run)
    else pool.line.join(run)
    return
  }
  run.settled = true
  if (run.fallback) run.resolve(run.fallback)
  else run.reject(unanswered(run))
}

function unanswered({ timedOut, reason }: Run): Failure {
  return new Failure(timedOut ? 'upstream_timed_out' : 'upstream_unreachable', { reason })
}

/**
 * A connection that broke says little of its node. Before one is asked that fails
 * or has diverged, those that do well otherwise get a second turn.
 */
function askAgain(pool: UpstreamPool, run: Run): boolean {
  if (run.askedAgain || run.timedOut || run.fallback || run.only) return false
  run.askedAgain = true
  if (!pick(pool.selection, run.call, [], REACH.good)) return false
  run.tried = []
  return launch(pool, run, REACH.good)
}

/** A stream holds its place at the upstream, and its clock runs while bytes are waited for. */
function keepWatching(pool: UpstreamPool, attempt: Attempt, reply: Streamed | StreamedError): void {
  attempt.hedgeAtMs = Number.POSITIVE_INFINITY
  attempt.stallAtMs = Number.POSITIVE_INFINITY
  attempt.upstream.streaming++
  share(attempt)
  reply.stream = guardStream(reply.stream, {
    waiting() {
      attempt.deadlineMs = pool.clock.monotonicMs() + STREAM_IDLE_MS_MAX
      pool.watch.add(attempt)
    },
    arrived: () => pool.watch.remove(attempt),
    ended: () => {
      attempt.upstream.streaming--
      leave(attempt)
      moveLine(pool)
    },
  })
}

/** Gives the place of a call back, and its caller's share. */
function leave({ upstream, sharedBy }: Attempt): void {
  upstream.inFlight--
  if (sharedBy !== undefined) noteShare(upstream, sharedBy, -1)
}

/** Light calls have a share only if their answers turn out to be big. */
function share(attempt: Attempt): void {
  if (attempt.sharedBy !== undefined) return
  attempt.sharedBy = attempt.run.call.share
  if (attempt.sharedBy !== undefined) noteShare(attempt.upstream, attempt.sharedBy, 1)
}

function hedge(pool: UpstreamPool, attempt: Attempt): void {
  attempt.hedgeAtMs = Number.POSITIVE_INFINITY
  const { run } = attempt
  if (!run.settled && spendHedge(pool.hedges)) launch(pool, run, REACH.good)
}

/**
 * A light call unanswered for so long has failed, whatever comes later. When the
 * upstream answered nothing else meanwhile, not even a poll, it is taken out.
 */
function suspectHang(pool: UpstreamPool, attempt: Attempt, nowMs: number): void {
  const { run, upstream } = attempt
  attempt.stallAtMs = Number.POSITIVE_INFINITY
  const silent = wasSilent(attempt)
  const { heavy, callersDoing, safety } = run.call.of
  // A heavy call may take its time as long as its node answers anything at all.
  if (heavy && !silent) return
  // So may code of the caller's, though another node may be faster with it.
  if (silent || !callersDoing) noteFailure(upstream, 'hangs', nowMs)
  if (silent && upstream.breaker.state === 'closed') rest(upstream, nowMs)
  review(pool.selection)
  // What the silent node was given is asked of the next one at once, for reads only.
  if (!run.settled && safety === 'read') launch(pool, run, REACH.good)
}

/** Lets an upstream that rested prove itself on a copy, at nobody's expense. */
function shadow(pool: UpstreamPool, call: PoolCall): void {
  const upstream = onTrial(pool.selection)
  if (!upstream || call.of.heavy || call.of.safety !== 'read') return
  upstream.breaker.trialRunning = true
  const done = () => {
    upstream.breaker.trialRunning = false
    review(pool.selection)
  }
  const proven = (answer: PoolAnswer) => {
    if (isStreamed(answer.reply)) answer.reply.stream.cancel().catch(() => {})
    if (run.doubted.length > 0) noteFailure(upstream, 'internal error', pool.clock.monotonicMs())
    done()
  }
  const run = newRun(call, true, proven, done)
  start(pool, run, upstream)
}

function newRun(
  call: PoolCall,
  only: boolean,
  resolve: Run['resolve'],
  reject: Run['reject'],
): Run {
  return {
    call,
    tried: [],
    running: 0,
    settled: false,
    only,
    askedAgain: false,
    deadlineMs: NOT_BEGUN,
    timedOut: false,
    mayHaveLanded: false,
    reason: '',
    fallback: null,
    doubted: [],
    lacking: null,
    resolve,
    reject,
  }
}
