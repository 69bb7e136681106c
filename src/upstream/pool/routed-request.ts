import type { Failure } from '../../core/errors.ts'
import type { Network } from '../../core/network.ts'
import type { Method } from '../../core/rpc/method-registry.ts'
import type { NodeError, NodeResult } from '../../core/rpc/node-reply.ts'
import type { TraceContext } from '../../core/rpc/trace-context.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Streamed, StreamedError } from '../node/rpc-client.ts'
import { noteShare, type Upstream } from '../node/upstream.ts'
import type { AttemptWatch, Timed } from './attempt-watch.ts'
import type { Hedging } from './hedging.ts'
import type { RoutingRequirements, Selection } from './selection.ts'
import type { ShareQueues, WaitQueue } from './wait-queue.ts'

export type PoolCall = RoutingRequirements & {
  of: Method
  paramsText: string
  params: readonly unknown[]
  trace?: TraceContext | null | undefined
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

export type Attempt = Timed & {
  request: RoutedRequest
  upstream: Upstream
  startedAtMs: number
  cancel(): void
  /** The caller whose share of the upstream it counts towards, once it does. */
  sharedBy: string | undefined
}

/** A request's time is set by its first attempt, which looks at the clock anyway. */
export const NOT_BEGUN = -1

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
