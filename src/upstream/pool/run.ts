import type { Failure } from '../../core/errors.ts'
import type { Network } from '../../core/network.ts'
import type { Method } from '../../core/rpc/method-registry.ts'
import type { NodeError, NodeResult } from '../../core/rpc/node-reply.ts'
import type { TraceContext } from '../../core/rpc/trace-context.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Streamed, StreamedError } from '../node/rpc-client.ts'
import type { Upstream } from '../node/upstream.ts'
import type { AttemptWatch, Timed } from './attempt-watch.ts'
import type { HedgeBook } from './hedge-book.ts'
import type { Selection, Wish } from './selection.ts'
import type { ShareLines, WaitingLine } from './waiting-line.ts'

export type PoolCall = Wish & {
  of: Method
  paramsText: string
  params: readonly unknown[]
  /** The trace that the call belongs to, where its caller named one. */
  trace?: TraceContext | null | undefined
  /** Asked for by ourselves, in our own words, and read here: it never becomes a stream. */
  whole?: boolean
  /** Too much work to be asked of two at once, however slow the first one is. */
  unhedged?: boolean
}

export type PoolAnswer = {
  reply: NodeResult | NodeError | Streamed | StreamedError
  upstream: string
  /** An earlier attempt of the same call may have reached a node. */
  unclearBefore: boolean
}

/** All the upstreams of one network, and what is under way to them. */
export type UpstreamPool = {
  clock: Clock
  network: Network
  selection: Selection
  hedges: HedgeBook
  watch: AttemptWatch<Attempt>
  line: WaitingLine<Run>
  shareLines: ShareLines<Run>
}

/** One request of a client with all its attempts. */
export type Run = {
  call: PoolCall
  tried: Upstream[]
  running: number
  settled: boolean
  /** No other upstream may answer. */
  only: boolean
  /** Upstreams that do well otherwise were asked a second time. */
  askedAgain: boolean
  deadlineMs: number
  timedOut: boolean
  mayHaveLanded: boolean
  /** Why the last attempt gave no usable answer. */
  reason: string
  /** The best error of a node so far that another node might have cured. */
  fallback: PoolAnswer | null
  /** Upstreams whose internal error counts against them if another does better. */
  doubted: Upstream[]
  /** Upstreams that said they lack the method, which is remembered if another has it. */
  lacking: Upstream[] | null
  resolve: (answer: PoolAnswer) => void
  reject: (failure: Failure) => void
}

export type Attempt = Timed & {
  run: Run
  upstream: Upstream
  startedAtMs: number
  cancel(): void
  /** Whose share of the upstream it counts towards, once it does. */
  sharedBy: string | undefined
}
