import type { Failure } from '../../core/errors.ts'
import { NO_PLACE, openInFlight, type Placed } from '../../core/in-flight.ts'
import type { Network } from '../../core/network.ts'
import {
  type Latency,
  latencyQuantileMs,
  learnLatency,
  newLatency,
} from '../../core/rpc/latency.ts'
import type { Method } from '../../core/rpc/method-registry.ts'
import type { NodeError, NodeResult } from '../../core/rpc/node-reply.ts'
import type { TraceContext } from '../../core/rpc/trace-context.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Streamed, StreamedError } from '../node/rpc-client.ts'
import { noteShare, type Upstream } from '../node/upstream.ts'
import type { RoutingRequirements, Selection } from './selection.ts'
import type { ShareQueues, WaitQueue } from './wait-queue.ts'

/** The caller that a filter belongs to: no other is shown it, and none may take it down. */
export type FilterOwner = {
  /** Signs ids, so that no caller can make one. */
  secret: Uint8Array
  /** Tells callers apart that must not see each other's filters. */
  name: string
}

export type PoolCall = RoutingRequirements & {
  of: Method
  paramsText: string
  params: readonly unknown[]
  trace?: TraceContext | null | undefined
  /** Null where it is about no filter. */
  owner?: FilterOwner | null
  /** The call is our own, in our own words, and read here: its answer never becomes a stream. */
  whole?: boolean
  /** The call is too much work to be asked of two at once, however slow the first one is. */
  unhedged?: boolean
  heardError?: (upstream: Upstream, error: NodeError) => void
}

export type PoolAnswer = {
  reply: NodeResult | NodeError | Streamed | StreamedError
  upstream: string
  /** An earlier attempt of the same call may have reached a node. */
  unclearBefore: boolean
  /** The highest block that a stream speaks of, where that is known. */
  heightMax?: number
}

export type UpstreamPool = {
  clock: Clock
  network: Network
  selection: Selection
  /** Upstreams for sends alone; no poll, no read and no judgement is about them. */
  relays: readonly Upstream[]
  hedging: Hedging
  watch: AttemptWatch<Attempt>
  queue: WaitQueue<RoutedRequest>
  shareQueues: ShareQueues<RoutedRequest>
}

export type RoutedRequest = {
  /**
   * `routed`: any upstream may answer. `pinned`: only the one that it was sent to may.
   * `mirrored`: the same for a copy, whose answer nobody waits for.
   */
  kind: 'routed' | 'pinned' | 'mirrored'
  call: PoolCall
  tried: Upstream[]
  running: number
  settled: boolean
  /** Upstreams that do well otherwise were asked a second time. */
  isRetried: boolean
  deadlineMs: number
  timedOut: boolean
  mayHaveLanded: boolean
  /** The reason that the last attempt gave no usable answer. */
  reason: string
  /** The best error of a node so far that another node might have cured. */
  fallback: PoolAnswer | null
  /** Upstreams whose internal error counts against them if another does better. */
  suspected: Upstream[]
  /** Upstreams without the method, which is remembered if another has it. */
  unsupportedBy: Upstream[] | null
  resolve: (answer: PoolAnswer) => void
  reject: (failure: Failure) => void
}

export type Timed = Placed & {
  /** From here on a second upstream may be asked; Infinity: never. */
  hedgeAtMs: number
  /** From here on a silent upstream may count as hung. */
  stallAtMs: number
  deadlineMs: number
}

type Reaction<T> = (attempt: T, nowMs: number) => void

export type Attempt = Timed & {
  request: RoutedRequest
  upstream: Upstream
  startedAtMs: number
  cancel(): void
  /** The caller whose share of the upstream it counts towards, once it does. */
  sharedBy: string | undefined
}

type AttemptWatch<T extends Timed> = ReturnType<typeof openAttemptWatch<T>>

export type Hedging = ReturnType<typeof newHedging>

type Learned = Latency & { delayMs: number; sinceDelay: number }

/** A request's time is set by its first attempt, which looks at the clock anyway. */
export const NOT_BEGUN = -1

/** Hedges are worth milliseconds, so the watch looks that often, but only while calls are out. */
const LOOK_EVERY_MS = 5

/**
 * No more than this counts of the time between two looks. When this process itself stood still,
 * answers wait to be read, and their nodes are not to blame.
 */
const COUNTED_MS_MAX = 250

const HEDGE_QUANTILE = 0.95
/** The watch looks every few milliseconds; a shorter delay would be luck. */
const HEDGE_MS_MIN = 5
/** The quantile moves slowly, so it is worked out anew only so often. */
const HEDGE_LEARNED_EVERY = 32
/** Hedges may add one call in twenty, and never more at once than this burst. */
const HEDGE_SHARE = 0.05
const HEDGE_CREDIT_MAX = 20
const HEDGE_METHODS_MAX = 500

export function newRequest(
  kind: RoutedRequest['kind'],
  call: PoolCall,
  resolve: RoutedRequest['resolve'],
  reject: RoutedRequest['reject'],
): RoutedRequest {
  return {
    kind,
    call,
    tried: [],
    running: 0,
    settled: false,
    isRetried: false,
    deadlineMs: NOT_BEGUN,
    timedOut: false,
    mayHaveLanded: false,
    reason: '',
    fallback: null,
    suspected: [],
    unsupportedBy: null,
    resolve,
    reject,
  }
}

export function releasePlace({ upstream, sharedBy }: Attempt): void {
  upstream.inFlight--
  if (sharedBy !== undefined) noteShare(upstream, sharedBy, -1)
}

/** Light calls have a share only if their answers turn out to be big. */
export function takeShare(attempt: Attempt): void {
  if (attempt.sharedBy !== undefined) return
  attempt.sharedBy = attempt.request.call.share
  if (attempt.sharedBy !== undefined) noteShare(attempt.upstream, attempt.sharedBy, 1)
}

/**
 * Keeps the time of all calls in flight with one timer. A timer for each call would cost more than
 * the call's own bookkeeping.
 */
export function openAttemptWatch<T extends Timed>(
  clock: Clock,
  reactions: Record<'onLate' | 'onStall' | 'onDeadline', Reaction<T>>,
) {
  const running = openInFlight<T>()
  let stopLooking: (() => void) | null = null
  let lookedAtMs = 0

  const look = () => {
    if (running.size === 0) {
      stopLooking?.()
      stopLooking = null
      return
    }
    const nowMs = clock.monotonicMs()
    const lostMs = nowMs - lookedAtMs - COUNTED_MS_MAX
    lookedAtMs = nowMs
    const all = running.list()
    if (lostMs > 0) for (const attempt of all) postpone(attempt, lostMs)
    for (const attempt of all) {
      if (attempt.place === NO_PLACE) continue
      if (nowMs >= attempt.deadlineMs) reactions.onDeadline(attempt, nowMs)
      else if (nowMs >= attempt.stallAtMs) reactions.onStall(attempt, nowMs)
      else if (nowMs >= attempt.hedgeAtMs) reactions.onLate(attempt, nowMs)
    }
  }

  return {
    add(attempt: T): void {
      running.add(attempt)
      if (stopLooking) return
      lookedAtMs = clock.monotonicMs()
      stopLooking = clock.every(LOOK_EVERY_MS, look)
    },
    remove: running.remove,
  }
}

/** A hedge is not put off: a second node costs little and may be faster than what waits here. */
function postpone(attempt: Timed, byMs: number): void {
  attempt.stallAtMs += byMs
  attempt.deadlineMs += byMs
}

export function newHedging() {
  return { latencies: new Map<string, Learned>(), credit: HEDGE_CREDIT_MAX / 2 }
}

export function earnHedge(hedging: Hedging): void {
  hedging.credit = Math.min(HEDGE_CREDIT_MAX, hedging.credit + HEDGE_SHARE)
}

/** True when one more call may be doubled. */
export function spendHedge(hedging: Hedging): boolean {
  if (hedging.credit < 1) return false
  hedging.credit--
  return true
}

/** How long to wait for the first upstream before asking a second; Infinity while unlearned. */
export function hedgeDelayMs(hedging: Hedging, method: string): number {
  return hedging.latencies.get(method)?.delayMs ?? Number.POSITIVE_INFINITY
}

export function learnHedge(hedging: Hedging, method: string, tookMs: number): void {
  let learned = hedging.latencies.get(method)
  if (!learned) {
    if (hedging.latencies.size >= HEDGE_METHODS_MAX) return
    learned = { ...newLatency(), delayMs: Number.POSITIVE_INFINITY, sinceDelay: 0 }
    hedging.latencies.set(method, learned)
  }
  learnLatency(learned, tookMs)
  learned.sinceDelay++
  if (learned.sinceDelay < HEDGE_LEARNED_EVERY) return
  learned.sinceDelay = 0
  const quantileMs = latencyQuantileMs(learned, HEDGE_QUANTILE)
  if (quantileMs !== null) learned.delayMs = Math.max(HEDGE_MS_MIN, quantileMs)
}
