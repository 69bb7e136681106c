import { spanNow } from '../../core/logs/log-span.ts'
import type { Network } from '../../core/network.ts'
import type { HeadView } from '../../core/rpc/cache-policy.ts'
import type { Clock } from '../../ports/clock.ts'
import { activeView, givesHeaders } from '../node/active-health.ts'
import { isUnsupported, type Upstream, viewOf } from '../node/upstream.ts'
import {
  type ChoiceLimits,
  corroboratedTip,
  judgeUpstreams,
  type UpstreamView,
  type Verdict,
} from './upstream-choice.ts'

export type RoutingRequirements = {
  method: string
  /** The answer depends on how far the upstream has come. */
  atHead: boolean
  heightMin: number | null
  /** The answer may be megabytes. */
  heavy?: boolean
  /** The caller whose share of the places for such answers it takes; absent: our own work. */
  share?: string | undefined
  /** The blocks whose logs are asked for. */
  logBlocks?: number
}

/** The upstreams and how they were last judged. Requests only read it. */
export type Selection = {
  clock: Clock
  network: Network
  upstreams: readonly Upstream[]
  verdicts: readonly Verdict[]
  stateOf: ReadonlyMap<Upstream, Verdict['state']>
  /** The same for the follower: by polls and heads alone, whatever calls do there. */
  followStateOf: ReadonlyMap<Upstream, Verdict['state']>
  diverged: ReadonlySet<Upstream>
  head: HeadView | null
  /** When the head's height last changed. */
  headMovedAtMs: number
  /** When an upstream last reported that very head. */
  headReportedAtMs: number
  /** An upstream's breaker may be half open. */
  isProbing: boolean
  /** The height that the nodes' `finalized` tag names; null while unknown. */
  finalizedTag: number | null
  /** Where no genesis hash is configured, the first one reported holds for all. */
  firstGenesisHash: string | null
}

const STALE_MS_MIN = 30_000
const STALE_BLOCKS = 4
const LAG_BLOCKS_MIN = 2
const REPORT_MAX_AGE_POLLS = 6
const REPORT_MAX_AGE_MS_MIN = 10_000

/** The tiers an upstream may be picked from, best first; load and latency decide within. */
const TIER = {
  fit: 0,
  behindTip: 1,
  standby: 2,
  unsupported: 3,
  /** The upstream's head is elsewhere, but the call is not about the head. */
  diverged: 4,
  excluded: 5,
  divergedAtTip: 6,
} as const

export const TIER_MAX = {
  /** Upstreams that do well: enough for a second opinion while the first is awaited. */
  good: TIER.standby,
  /** Upstreams that can be expected to answer at all. */
  answering: TIER.diverged,
  any: TIER.divergedAtTip,
} as const

/** Stands in for the latency of an upstream that nobody has measured yet. */
const LATENCY_UNKNOWN_MS = 1

export function openSelection(
  clock: Clock,
  network: Network,
  upstreams: readonly Upstream[],
): Selection {
  const selection: Selection = {
    clock,
    network,
    upstreams,
    verdicts: [],
    stateOf: new Map(),
    followStateOf: new Map(),
    diverged: new Set(),
    head: null,
    headMovedAtMs: clock.monotonicMs(),
    headReportedAtMs: 0,
    isProbing: false,
    finalizedTag: null,
    firstGenesisHash: null,
  }
  review(selection)
  return selection
}

/** Judges all upstreams anew. Runs beside the requests, or when one just failed. */
export function review(selection: Selection): void {
  const { network, upstreams } = selection
  const nowMs = selection.clock.monotonicMs()
  const limits = limitsOf(network)
  const views = upstreams.map((upstream) => viewOf(upstream, nowMs))
  for (const upstream of upstreams) upstream.costFactor = upstream.spend?.costFactor() ?? 1
  selection.isProbing = views.some(({ breaker }) => breaker === 'half_open')
  const before = selection.head
  const known = before && {
    number: before.number,
    movedAgoMs: nowMs - selection.headMovedAtMs,
  }
  const tip = corroboratedTip(views, limits, known)
  const verdicts = judgeUpstreams(views, tip, limits)
  selection.verdicts = verdicts
  selection.stateOf = statesOf(upstreams, verdicts)
  const activeViews = upstreams.map(({ activeHealth }, at) =>
    activeView(activeHealth, views[at] as UpstreamView),
  )
  selection.followStateOf = statesOf(upstreams, judgeUpstreams(activeViews, tip, limits))
  selection.diverged = new Set(upstreams.filter((_, at) => verdicts[at]?.diverged))
  if (!tip) {
    selection.head = null
    return
  }
  const byDepth = network.finalityDepth === undefined ? null : tip.number - network.finalityDepth
  const finalized = byDepth === null ? selection.finalizedTag : Math.max(0, byDepth)
  if (before?.number !== tip.number) selection.headMovedAtMs = nowMs
  const same = before?.hash === tip.hash && before.finalized === finalized
  if (!same) selection.head = { number: tip.number, hash: tip.hash, finalized }
  selection.headReportedAtMs = reportedAtMs(upstreams, tip.hash)
}

/** When one of them last reported this head. */
function reportedAtMs(upstreams: readonly Upstream[], hash: string): number {
  const reports = upstreams.filter(({ head }) => head?.hash === hash)
  return Math.max(...reports.map(({ head }) => head?.reportedAtMs ?? 0))
}

function statesOf(upstreams: readonly Upstream[], verdicts: readonly Verdict[]) {
  return new Map(upstreams.map((upstream, at) => [upstream, verdicts[at]?.state ?? 'excluded']))
}

/** The upstreams that the follower goes by; one that gave no header lately comes last. */
export function followedUpstreams({ upstreams, followStateOf, clock }: Selection): Upstream[] {
  const nowMs = clock.monotonicMs()
  const followed = upstreams.filter((upstream) => followStateOf.get(upstream) === 'used')
  const rank = ({ activeHealth }: Upstream) => (givesHeaders(activeHealth, nowMs) ? 0 : 1)
  return followed.sort((a, b) => rank(a) - rank(b) || a.costFactor - b.costFactor)
}

/** The best upstream not tried yet; null when none is left. */
export function pick(
  selection: Selection,
  needed: RoutingRequirements,
  tried: readonly Upstream[],
  tierMax: number = TIER_MAX.any,
): Upstream | null {
  let best: Upstream | null = null
  let bestTier = Number.POSITIVE_INFINITY
  let bestLoad = Number.POSITIVE_INFINITY
  for (const upstream of selection.upstreams) {
    // A wrong chain's answer is worse than none.
    if (upstream.chain === 'wrong' || tried.includes(upstream)) continue
    if (isFull(upstream, needed)) continue
    const tier = tierOf(selection, upstream, needed)
    if (tier > tierMax) continue
    const { inFlight, latencyMs, costFactor } = upstream
    const load = (inFlight + 1) * (latencyMs || LATENCY_UNKNOWN_MS) * costFactor
    if (tier < bestTier || (tier === bestTier && load < bestLoad)) {
      best = upstream
      bestTier = tier
      bestLoad = load
    }
  }
  return best
}

/** No call may wait for one on another chain, nor for one whose credits are used up. */
export function isUsable({ chain, spend }: Upstream): boolean {
  return chain !== 'wrong' && (spend === null || spend.creditsLeft() === 'left')
}

/** The same where nobody else can be asked: reads of our own may use what is kept for them. */
export function hasCreditsFor({ spend }: Upstream, isOwn: boolean): boolean {
  if (spend === null) return true
  const left = spend.creditsLeft()
  return left === 'left' || (isOwn && left === 'reserve')
}

/**
 * True when it has as many calls in flight, or has spent as much, as it may. Answers being passed
 * on hold no place of a light call: clients who read slowly, even on purpose, must not shut others
 * out.
 */
export function isFull(upstream: Upstream, needed: RoutingRequirements): boolean {
  const { inFlight, streaming, spec, spend } = upstream
  if (spend !== null && !spend.mayCall()) return true
  return inFlight - streaming >= spec.concurrencyMax || isShareFull(upstream, needed)
}

/** Places for big answers that are passed on, beside the calls that are in flight. */
const BIG_PLACES_FACTOR = 2

/**
 * True when its caller may have no more big answers under way. One caller may have as many as it
 * leaves free, which alone is as many as calls may be in flight; and each may have one.
 */
function isShareFull(
  { streaming, shares, shared, spec }: Upstream,
  needed: RoutingRequirements,
): boolean {
  if (needed.heavy !== true) return false
  const places = spec.concurrencyMax * BIG_PLACES_FACTOR
  if (needed.share === undefined) return streaming >= places
  if (shared === 0) return false
  return (shares.get(needed.share) ?? 0) >= Math.max(1, places - shared)
}

/** Nothing but its caller's share keeps a call from every upstream that could answer it. */
export function waitsForShare({ upstreams }: Selection, needed: RoutingRequirements): boolean {
  if (needed.heavy !== true || needed.share === undefined) return false
  const usable = upstreams.filter(isUsable)
  return usable.length > 0 && usable.every((upstream) => isShareFull(upstream, needed))
}

/** An upstream whose breaker is half open, to be probed with a mirrored read. */
export function halfOpenUpstream(selection: Selection): Upstream | null {
  for (const upstream of selection.upstreams) {
    const { breaker, spend } = upstream
    if (breaker.state !== 'half_open' || breaker.isProbing || !isUsable(upstream)) continue
    // A node that asked for fewer calls is not sent copies, nor one that is at its limit.
    if (upstream.throttledUntilMs > selection.clock.monotonicMs()) continue
    if (spend !== null && !spend.mayCall()) continue
    return upstream
  }
  return null
}

function tierOf(selection: Selection, upstream: Upstream, needed: RoutingRequirements): number {
  const state = selection.stateOf.get(upstream)
  if (state === undefined || state === 'excluded') {
    if (!selection.diverged.has(upstream)) return TIER.excluded
    // A head made up or long past is worse than no answer, but old blocks it may well have.
    return needed.atHead || upstream.breaker.state !== 'closed' ? TIER.divergedAtTip : TIER.diverged
  }
  // Hot path: most upstreams have every method, and the clock is not read for them.
  if (upstream.unsupported.size > 0) {
    const nowMs = selection.clock.monotonicMs()
    if (isUnsupported(upstream, needed.method, nowMs)) return TIER.unsupported
  }
  if (needed.logBlocks !== undefined) {
    const nowMs = selection.clock.monotonicMs()
    if (spanNow(upstream.logSpan, nowMs) < needed.logBlocks) return TIER.unsupported
  }
  if (state === 'standby') return TIER.standby
  const height = upstream.head?.number ?? 0
  if (needed.heightMin !== null && height < needed.heightMin) return TIER.behindTip
  const tip = selection.head?.number ?? 0
  return needed.atHead && height < tip ? TIER.behindTip : TIER.fit
}

/** Nodes run this far ahead of the head that a second one confirmed; more is made up. */
const AHEAD_BLOCKS_MAX = 16

/** It takes a poll or two until the head that we know is the one that two have. */
const AHEAD_POLLS = 2

/**
 * False for a height that a single node makes up: nobody confirms it, and the chain cannot have
 * got there since its head moved. The word of the only witness counts, as there is no other.
 */
export function isBelievable(selection: Selection, height: number): boolean {
  const { head, upstreams, stateOf, network, clock, headMovedAtMs } = selection
  const isWitness = (upstream: Upstream) =>
    upstream.head !== null && stateOf.get(upstream) !== 'excluded'
  if (head === null || height <= head.number || upstreams.filter(isWitness).length < 2) return true
  const sinceMs = clock.monotonicMs() - headMovedAtMs + AHEAD_POLLS * network.headPollMs
  const madeMax = Math.ceil(sinceMs / network.blockTimeMs) + 1
  return height - head.number <= Math.min(madeMax, AHEAD_BLOCKS_MAX)
}

function limitsOf(network: Network): ChoiceLimits {
  return {
    lagBlocksMax: Math.max(LAG_BLOCKS_MIN, Math.ceil(network.headLagMsMax / network.blockTimeMs)),
    staleMs: Math.max(STALE_MS_MIN, network.blockTimeMs * STALE_BLOCKS),
    reportMaxAgeMs: Math.max(REPORT_MAX_AGE_MS_MIN, network.headPollMs * REPORT_MAX_AGE_POLLS),
    blockTimeMs: network.blockTimeMs,
  }
}
