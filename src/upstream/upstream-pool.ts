import { Failure } from '../core/errors.ts'
import type { Network } from '../core/network.ts'
import type { Clock } from '../ports/clock.ts'
import { openAttemptWatch } from './attempt-watch.ts'
import { guardStream } from './guard-stream.ts'
import { earnHedge, hedgeDelayMs, newHedgeBook, spendHedge } from './hedge-book.ts'
import type { Reply, Streamed } from './rpc-client.ts'
import type { Attempt, PoolAnswer, PoolCall, Run, UpstreamPool } from './run.ts'
import { onTrial, pick, review, type Selection } from './selection.ts'
import { noteFailure, rest, type Upstream } from './upstream.ts'
import { weighReply } from './weigh-reply.ts'

/** A request as a whole ends here, however many upstreams are left to try. */
const REQUEST_MS_MAX = 45_000
/** Heavy calls scan the chain; they get longer before they count as hung. */
const HEAVY_FACTOR = 3
/** No healthy node takes so long for a balance or a block number. */
const STALL_MS = 2000
/** A stream that brings nothing for so long is broken off. */
const STREAM_IDLE_MS_MAX = 30_000

export function openUpstreamPool(
  clock: Clock,
  network: Network,
  selection: Selection,
): UpstreamPool {
  const watch = openAttemptWatch<Attempt>(clock, {
    onLate: (attempt) => hedge(pool, attempt),
    onStall: (attempt, nowMs) => suspectHang(pool, attempt, nowMs),
    onDeadline: (attempt) => attempt.abort.abort(),
  })
  const pool: UpstreamPool = { clock, network, selection, hedges: newHedgeBook(), watch }
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
    const run = newRun(pool, call, false, resolve, reject)
    if (!launch(pool, run)) reject(new Failure('upstream_unreachable'))
  })
}

/** Asks exactly one upstream, as a filter needs that lives there. */
export function requestFrom(
  pool: UpstreamPool,
  upstream: Upstream,
  call: PoolCall,
): Promise<PoolAnswer> {
  return new Promise<PoolAnswer>((resolve, reject) => {
    start(pool, newRun(pool, call, true, resolve, reject), upstream)
  })
}

/** Sends the call to the next upstream; false when there is none to ask. */
function launch(pool: UpstreamPool, run: Run): boolean {
  const upstream = run.only ? null : pick(pool.selection, run.call, run.tried)
  if (upstream) start(pool, run, upstream)
  return upstream !== null
}

function start(pool: UpstreamPool, run: Run, upstream: Upstream): void {
  const nowMs = pool.clock.monotonicMs()
  const { call } = run
  run.tried.push(upstream)
  run.running++
  upstream.inFlight++
  const mayHedge = call.of.safety === 'read' && !run.only && run.tried.length === 1
  const attempt: Attempt = {
    run,
    upstream,
    startedAtMs: nowMs,
    hedgeAtMs: mayHedge ? nowMs + hedgeDelayMs(pool.hedges, call.method) : Number.POSITIVE_INFINITY,
    stallAtMs: call.of.heavy ? Number.POSITIVE_INFINITY : nowMs + STALL_MS,
    deadlineMs: Math.min(
      nowMs + upstream.spec.timeoutMs * (call.of.heavy ? HEAVY_FACTOR : 1),
      run.deadlineMs,
    ),
    abort: new AbortController(),
  }
  pool.watch.add(attempt)
  upstream.client
    .send(call.method, call.paramsText, attempt.abort.signal)
    .then((reply) => finish(pool, attempt, reply))
}

function finish(pool: UpstreamPool, attempt: Attempt, reply: Reply): void {
  pool.watch.remove(attempt)
  const { run, upstream } = attempt
  const nowMs = pool.clock.monotonicMs()
  run.running--
  if (reply.kind === 'stream') keepWatching(pool, attempt, reply)
  else upstream.inFlight--

  const answer = weighReply(pool, attempt, reply, nowMs)
  if (run.settled) {
    if (reply.kind === 'stream') reply.stream.cancel().catch(() => {})
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

/** An internal error was the upstream's own when another had the answer. */
function blame(run: Run, answer: PoolAnswer, nowMs: number): void {
  if (answer.reply.kind === 'error') return
  for (const upstream of run.doubted) noteFailure(upstream, 'internal error', nowMs)
}

function tryNext(pool: UpstreamPool, run: Run, nowMs: number): void {
  const unsafe = run.call.of.safety === 'write' && run.mayHaveLanded
  if (!unsafe && nowMs < run.deadlineMs && launch(pool, run)) return
  if (run.running > 0) return
  run.settled = true
  if (run.fallback) run.resolve(run.fallback)
  else run.reject(new Failure(run.timedOut ? 'upstream_timed_out' : 'upstream_unreachable'))
}

/** A stream holds its place at the upstream, and its clock runs while bytes are waited for. */
function keepWatching(pool: UpstreamPool, attempt: Attempt, reply: Streamed): void {
  attempt.hedgeAtMs = Number.POSITIVE_INFINITY
  attempt.stallAtMs = Number.POSITIVE_INFINITY
  reply.stream = guardStream(reply.stream, {
    waiting() {
      attempt.deadlineMs = pool.clock.monotonicMs() + STREAM_IDLE_MS_MAX
      pool.watch.add(attempt)
    },
    arrived: () => pool.watch.remove(attempt),
    ended: () => {
      attempt.upstream.inFlight--
    },
  })
}

function hedge(pool: UpstreamPool, attempt: Attempt): void {
  attempt.hedgeAtMs = Number.POSITIVE_INFINITY
  const { run } = attempt
  if (!run.settled && spendHedge(pool.hedges)) launch(pool, run)
}

/**
 * A light call unanswered for so long has failed, whatever comes later. When the
 * upstream answered nothing else meanwhile, not even a poll, it is taken out.
 */
function suspectHang(pool: UpstreamPool, attempt: Attempt, nowMs: number): void {
  const { run, upstream } = attempt
  attempt.stallAtMs = Number.POSITIVE_INFINITY
  const silent = upstream.lastOkAtMs < attempt.startedAtMs
  noteFailure(upstream, 'hangs', nowMs)
  if (silent && upstream.breaker.state === 'closed') rest(upstream, nowMs)
  review(pool.selection)
  // What the silent node was given is asked of the next one at once, for reads only.
  if (!run.settled && run.call.of.safety === 'read') launch(pool, run)
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
  start(pool, newRun(pool, call, true, done, done), upstream)
}

function newRun(
  pool: UpstreamPool,
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
    deadlineMs: pool.clock.monotonicMs() + REQUEST_MS_MAX,
    timedOut: false,
    mayHaveLanded: false,
    fallback: null,
    doubted: [],
    resolve,
    reject,
  }
}
