import { type LogSpan, newLogSpan } from '../../core/logs/log-span.ts'
import type { NetworkKind, UpstreamSpec } from '../../core/network.ts'
import type { Outbound } from '../../ports/outbound.ts'
import type { UpstreamView } from '../pool/upstream-choice.ts'
import type { UpstreamSpend } from '../spend/upstream-spend.ts'
import { type ActiveHealth, newActiveHealth } from './active-health.ts'
import type { NodeHead } from './node-head.ts'
import { newCounts, type RollingCounts, rates, turnSlots } from './rolling-counts.ts'
import { openRpcClient, type RpcClient } from './rpc-client.ts'
import { newTally, type UpstreamTally } from './upstream-tally.ts'

/** One upstream with all that was learned about it. Changed only by functions of this room. */
export type Upstream = RollingCounts & {
  spec: UpstreamSpec
  kind: NetworkKind
  client: RpcClient
  /** Null where calls cost nothing. */
  spend: UpstreamSpend | null
  /** How much dearer it is than one that costs nothing. */
  costFactor: number
  inFlight: number
  /** Calls in flight whose answer is being passed on. */
  streaming: number
  /** Heavy calls in flight and answers being passed on, by caller, and all of them. */
  shares: Map<string, number>
  shared: number
  latencyMs: number
  chain: 'unknown' | 'right' | 'wrong'
  reportedChain: number | string | null
  chainCheckedAtMs: number
  head: Head | null
  breaker: Breaker
  lastOkAtMs: number
  failuresInARow: number
  /** Calls have failed and none has succeeded since, whatever polls say. */
  callsFail: boolean
  throttledUntilMs: number
  activeHealth: ActiveHealth
  /** Not written down yet; whoever does takes it away. */
  tally: UpstreamTally
  lastFault: string
  lastFaultAtMs: number
  /** Methods this node said it does not have, each with the time until which that is believed. */
  unsupported: Map<string, number>
  /** Methods by which this node gave a part of a block before. */
  provenMethods: Set<string>
  noBatchesUntilMs: number
  /** Answers unlike those that enough others agreed on, and the last of them. */
  disagreements: { count: number; method: string; atMs: number }
  /** The block range that it takes in one eth_getLogs. */
  logSpan: LogSpan
}

type Head = NodeHead & { reportedAtMs: number; advancedAtMs: number }

type Breaker = {
  state: 'closed' | 'open' | 'half_open'
  openUntilMs: number
  openMs: number
  probesOk: number
  isProbing: boolean
}

/** Dead nodes fail every call at once, so a handful in a row is proof enough. */
const FAILURES_IN_A_ROW_MAX = 4
const SAMPLES_MIN = 10
const ERROR_RATE_MAX = 0.5
const OPEN_MS_MIN = 1000
const OPEN_MS_MAX = 30_000
const PROBES_TO_CLOSE = 3
/** Without a read to probe a failed upstream with for this long, polls must do. */
const READS_AWAITED_MS = 5000
const THROTTLED_MS_MIN = 1000
/** Whatever the answer to one call asks for: it may be that call's own doing. */
const THROTTLED_MS_MAX = 60_000
/** The same for the answer to a poll, which tells of us altogether. */
const POLLS_PAUSED_MS_MAX = 3_600_000
const UNSUPPORTED_MS = 600_000
const UNSUPPORTED_MAX = 500
/** Weight of the newest call in the moving average of latency. */
const LATENCY_WEIGHT = 0.1

export function newUpstream(
  outbound: Outbound,
  spec: UpstreamSpec,
  kind: NetworkKind,
  spend: UpstreamSpend | null = null,
): Upstream {
  const client = openRpcClient(outbound, spec)
  return {
    spec,
    kind,
    client: spend === null ? client : countingClient(client, spend),
    spend,
    costFactor: 1,
    inFlight: 0,
    streaming: 0,
    shares: new Map(),
    shared: 0,
    latencyMs: 0,
    chain: 'unknown',
    reportedChain: null,
    chainCheckedAtMs: 0,
    head: null,
    breaker: {
      state: 'closed',
      openUntilMs: 0,
      openMs: OPEN_MS_MIN,
      probesOk: 0,
      isProbing: false,
    },
    ...newCounts(),
    lastOkAtMs: 0,
    failuresInARow: 0,
    callsFail: false,
    throttledUntilMs: 0,
    activeHealth: newActiveHealth(),
    tally: newTally(),
    lastFault: '',
    lastFaultAtMs: 0,
    unsupported: new Map(),
    provenMethods: new Set(),
    noBatchesUntilMs: 0,
    disagreements: { count: 0, method: '', atMs: 0 },
    logSpan: newLogSpan(),
  }
}

/**
 * The same client, with each call counted as it leaves, whoever sends it. The members of a batch
 * are counted by who puts it together.
 */
function countingClient(client: RpcClient, spend: UpstreamSpend): RpcClient {
  return {
    ...client,
    call(method, ...rest) {
      spend.note(method)
      return client.call(method, ...rest)
    },
  }
}

/** The node's answer was not what the others agreed on. It is told, and decides nothing. */
export function noteDisagreement(upstream: Upstream, method: string, nowMs: number): void {
  upstream.disagreements = { count: upstream.disagreements.count + 1, method, atMs: nowMs }
}

export function noteShare(upstream: Upstream, share: string, change: 1 | -1): void {
  upstream.shared += change
  const own = (upstream.shares.get(share) ?? 0) + change
  if (own === 0) upstream.shares.delete(share)
  else upstream.shares.set(share, own)
}

/** The node answered, be it with an error that is the caller's own. */
export function noteSuccess(upstream: Upstream, tookMs: number, nowMs: number): void {
  const slot = turnSlots(upstream, nowMs)
  upstream.ok[slot] = (upstream.ok[slot] ?? 0) + 1
  upstream.failuresInARow = 0
  upstream.callsFail = false
  upstream.lastOkAtMs = nowMs
  upstream.latencyMs = averaged(upstream.latencyMs, tookMs)
  const { breaker } = upstream
  if (breaker.state !== 'half_open') return
  breaker.probesOk++
  if (breaker.probesOk < PROBES_TO_CLOSE) return
  breaker.state = 'closed'
  breaker.openMs = OPEN_MS_MIN
  upstream.ok.fill(0)
  upstream.bad.fill(0)
}

function averaged(latencyMs: number, tookMs: number): number {
  return latencyMs === 0 ? tookMs : latencyMs + (tookMs - latencyMs) * LATENCY_WEIGHT
}

/** A poll was answered. Nodes can answer polls and fail calls: then only calls speak for them. */
export function notePolled(upstream: Upstream, tookMs: number, nowMs: number): void {
  const { activeHealth } = upstream
  activeHealth.pollsFailedInARow = 0
  activeHealth.pollLatencyMs = averaged(activeHealth.pollLatencyMs, tookMs)
  const { state, openUntilMs } = upstream.breaker
  const awaitsReads = state === 'half_open' && nowMs - openUntilMs < READS_AWAITED_MS
  const isUnproven = state === 'half_open' ? awaitsReads : upstream.callsFail
  if (isUnproven) upstream.lastOkAtMs = nowMs
  else noteSuccess(upstream, tookMs, nowMs)
}

export function notePollFailed(
  upstream: Upstream,
  failed: { reason: string; throttled: boolean; retryAfterMs: number },
  nowMs: number,
): void {
  const { activeHealth } = upstream
  activeHealth.pollsFailedInARow++
  if (!failed.throttled) {
    noteFailure(upstream, failed.reason, nowMs, true)
    return
  }
  noteThrottled(upstream, failed.retryAfterMs, nowMs, POLLS_PAUSED_MS_MAX)
  activeHealth.pollsPausedUntilMs = nowMs + Math.min(POLLS_PAUSED_MS_MAX, failed.retryAfterMs)
}

/** Shows what went wrong there, without a part in how it is judged. */
export function noteFault(upstream: Upstream, reason: string, nowMs: number): void {
  upstream.lastFault = reason
  upstream.lastFaultAtMs = nowMs
}

/** The node gave no usable answer; enough of those open its breaker. True when they did so now. */
export function noteFailure(
  upstream: Upstream,
  reason: string,
  nowMs: number,
  isPoll = false,
): boolean {
  if (!isPoll) upstream.callsFail = true
  const slot = turnSlots(upstream, nowMs)
  upstream.bad[slot] = (upstream.bad[slot] ?? 0) + 1
  upstream.failuresInARow++
  noteFault(upstream, reason, nowMs)
  const { breaker } = upstream
  if (breaker.state === 'open') return false
  const { samples, errorRate } = rates(upstream)
  const failing =
    upstream.failuresInARow >= FAILURES_IN_A_ROW_MAX ||
    (samples >= SAMPLES_MIN && errorRate > ERROR_RATE_MAX)
  if (breaker.state === 'closed' && !failing) return false
  openBreaker(upstream, nowMs)
  return true
}

/** Takes an upstream out at once, as when everything sent to it hangs; longer each time. */
export function openBreaker(upstream: Upstream, nowMs: number): void {
  const { breaker } = upstream
  if (breaker.state === 'half_open') breaker.openMs = Math.min(OPEN_MS_MAX, breaker.openMs * 2)
  breaker.state = 'open'
  breaker.openUntilMs = nowMs + breaker.openMs
  breaker.probesOk = 0
}

export function noteThrottled(
  upstream: Upstream,
  retryAfterMs: number,
  nowMs: number,
  waitMsMax = THROTTLED_MS_MAX,
): void {
  const waitMs = Math.min(waitMsMax, Math.max(THROTTLED_MS_MIN, retryAfterMs))
  upstream.throttledUntilMs = Math.max(upstream.throttledUntilMs, nowMs + waitMs)
  noteFault(upstream, 'rate_limited', nowMs)
}

export function noteUnsupported(upstream: Upstream, method: string, nowMs: number): void {
  if (upstream.unsupported.size >= UNSUPPORTED_MAX) upstream.unsupported.clear()
  upstream.unsupported.set(method, nowMs + UNSUPPORTED_MS)
}

export function isUnsupported({ unsupported }: Upstream, method: string, nowMs: number): boolean {
  return (unsupported.get(method) ?? 0) > nowMs
}

export function noteHead(upstream: Upstream, head: NodeHead, nowMs: number): void {
  const before = upstream.head
  const advanced = before === null || head.number > before.number
  const advancedAtMs = advanced ? nowMs : before.advancedAtMs
  upstream.head = { ...head, reportedAtMs: nowMs, advancedAtMs }
}

/** Another process saw the head advance, and when. */
export function adoptHead(upstream: Upstream, advancedAtMs: number): void {
  if (upstream.head) upstream.head.advancedAtMs = Math.min(upstream.head.reportedAtMs, advancedAtMs)
}

/** The view that `core` judges. Turns a breaker half open when it was open for long enough. */
export function viewOf(upstream: Upstream, nowMs: number): UpstreamView {
  const { breaker, head } = upstream
  if (breaker.state === 'open' && nowMs >= breaker.openUntilMs) breaker.state = 'half_open'
  turnSlots(upstream, nowMs)
  return {
    name: upstream.spec.name,
    priority: upstream.spec.priority,
    chain: upstream.chain,
    breaker: breaker.state,
    throttled: upstream.throttledUntilMs > nowMs,
    credits: upstream.spend?.creditsLeft() ?? 'left',
    ...rates(upstream),
    latencyMs: upstream.latencyMs,
    head: head && {
      number: head.number,
      hash: head.hash,
      blockAgeMs: head.blockAgeMs === null ? null : head.blockAgeMs + nowMs - head.reportedAtMs,
      reportedAgoMs: nowMs - head.reportedAtMs,
      advancedAgoMs: nowMs - head.advancedAtMs,
    },
  }
}
