import type { Network } from '../../core/network.ts'
import type { HeadView } from '../../core/rpc/cache-policy.ts'
import {
  type ChoiceLimits,
  corroboratedTip,
  judgeUpstreams,
  type UpstreamView,
  type Verdict,
} from '../../core/rpc/upstream-choice.ts'
import type { Clock } from '../../ports/clock.ts'
import { activeView, givesHeaders } from '../node/active-health.ts'
import { lacksMethod, type Upstream, viewOf } from '../node/upstream.ts'

/** What a call asks of the upstream that gets it. */
export type Wish = {
  method: string
  /** Its answer depends on how far the upstream has come. */
  atHead: boolean
  heightMin: number | null
  /** It may be answered by megabytes. */
  heavy?: boolean
  /** Whose share of the places for such answers it takes; absent: our own work. */
  share?: string | undefined
}

/** Who is used, as last judged. Requests only read it. */
export type Selection = {
  clock: Clock
  network: Network
  upstreams: readonly Upstream[]
  verdicts: readonly Verdict[]
  stateOf: ReadonlyMap<Upstream, Verdict['state']>
  /** The same for whom the follower hears: by polls and heads alone, whatever calls do there. */
  heardOf: ReadonlyMap<Upstream, Verdict['state']>
  /** Those whose head is not where the others are. */
  diverged: ReadonlySet<Upstream>
  head: HeadView | null
  /** As the nodes' `finalized` tag says; null while unknown. */
  finalizedTag: number | null
  /** Where no genesis hash is configured, the first one heard holds for all. */
  genesisHeard: string | null
}

const STALE_MS_MIN = 30_000
const STALE_BLOCKS = 4
const LAG_BLOCKS_MIN = 2
const REPORT_MAX_AGE_POLLS = 6
const REPORT_MAX_AGE_MS_MIN = 10_000

/** The groups an upstream may be picked from, best first; load and latency decide within. */
const RANK = {
  fit: 0,
  behindTip: 1,
  standby: 2,
  lacking: 3,
  /** Its head is elsewhere, but the call is not about the head. */
  diverged: 4,
  excluded: 5,
  divergedAtTip: 6,
} as const

/** How far down the groups a call may reach. */
export const REACH = {
  /** Whoever does well: enough for a second opinion while the first is awaited. */
  good: RANK.standby,
  /** Whoever can be expected to answer at all. */
  answering: RANK.diverged,
  any: RANK.divergedAtTip,
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
    heardOf: new Map(),
    diverged: new Set(),
    head: null,
    finalizedTag: null,
    genesisHeard: null,
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
  const tip = corroboratedTip(views, limits)
  const verdicts = judgeUpstreams(views, tip, limits)
  selection.verdicts = verdicts
  selection.stateOf = statesOf(upstreams, verdicts)
  const ownViews = upstreams.map(({ own }, at) => activeView(own, views[at] as UpstreamView))
  selection.heardOf = statesOf(upstreams, judgeUpstreams(ownViews, tip, limits))
  selection.diverged = new Set(upstreams.filter((_, at) => verdicts[at]?.diverged))
  if (!tip) {
    selection.head = null
    return
  }
  const byDepth = network.finalityDepth === undefined ? null : tip.number - network.finalityDepth
  const finalized = byDepth === null ? selection.finalizedTag : Math.max(0, byDepth)
  const { head } = selection
  const same = head?.hash === tip.hash && head.finalized === finalized
  if (!same) selection.head = { number: tip.number, hash: tip.hash, finalized }
}

function statesOf(upstreams: readonly Upstream[], verdicts: readonly Verdict[]) {
  return new Map(upstreams.map((upstream, at) => [upstream, verdicts[at]?.state ?? 'excluded']))
}

/** Those the follower hears; who did not give a header lately comes last. */
export function heardUpstreams({ upstreams, heardOf, clock }: Selection): Upstream[] {
  const nowMs = clock.monotonicMs()
  const heard = upstreams.filter((upstream) => heardOf.get(upstream) === 'used')
  const rank = ({ own }: Upstream) => (givesHeaders(own, nowMs) ? 0 : 1)
  return heard.sort((a, b) => rank(a) - rank(b))
}

/** The best upstream not tried yet; null when none is left. */
export function pick(
  selection: Selection,
  wish: Wish,
  tried: readonly Upstream[],
  rankMax: number = REACH.any,
): Upstream | null {
  let best: Upstream | null = null
  let bestRank = Number.POSITIVE_INFINITY
  let bestLoad = Number.POSITIVE_INFINITY
  for (const upstream of selection.upstreams) {
    // A wrong chain's answer is worse than none.
    if (upstream.chain === 'wrong' || tried.includes(upstream)) continue
    if (isFull(upstream, wish)) continue
    const rank = rankOf(selection, upstream, wish)
    if (rank > rankMax) continue
    const load = (upstream.inFlight + 1) * (upstream.latencyMs || LATENCY_UNKNOWN_MS)
    if (rank < bestRank || (rank === bestRank && load < bestLoad)) {
      best = upstream
      bestRank = rank
      bestLoad = load
    }
  }
  return best
}

/**
 * True when it has as much in hand as it may. Answers being passed on hold no place
 * of a light call: clients who read slowly, even on purpose, must not shut others out.
 */
export function isFull(upstream: Upstream, wish: Wish): boolean {
  const { inFlight, streaming, spec } = upstream
  return inFlight - streaming >= spec.concurrencyMax || isShareFull(upstream, wish)
}

/** Places for big answers that are passed on, beside the calls that are in flight. */
const BIG_PLACES_FACTOR = 2

/**
 * True when its caller may have no more big answers under way. One caller may have as many as it
 * leaves free, which alone is as many as calls may be in flight; and each may have one.
 */
function isShareFull({ streaming, shares, shared, spec }: Upstream, wish: Wish): boolean {
  if (wish.heavy !== true) return false
  const places = spec.concurrencyMax * BIG_PLACES_FACTOR
  if (wish.share === undefined) return streaming >= places
  if (shared === 0) return false
  return (shares.get(wish.share) ?? 0) >= Math.max(1, places - shared)
}

/** Nothing but its caller's share keeps a call from every upstream that could answer it. */
export function waitsForShare({ upstreams }: Selection, wish: Wish): boolean {
  if (wish.heavy !== true || wish.share === undefined) return false
  const usable = upstreams.filter(({ chain }) => chain !== 'wrong')
  return usable.length > 0 && usable.every((upstream) => isShareFull(upstream, wish))
}

/** One that rested and may prove itself with a copied read. */
export function onTrial(selection: Selection): Upstream | null {
  for (const upstream of selection.upstreams) {
    const { breaker, chain } = upstream
    if (breaker.state !== 'half_open' || breaker.trialRunning || chain === 'wrong') continue
    // Whoever asked for fewer calls is not sent copies.
    if (upstream.throttledUntilMs > selection.clock.monotonicMs()) continue
    return upstream
  }
  return null
}

function lacks(selection: Selection, upstream: Upstream, method: string): boolean {
  return lacksMethod(upstream, method, selection.clock.monotonicMs())
}

function rankOf(selection: Selection, upstream: Upstream, wish: Wish): number {
  const state = selection.stateOf.get(upstream)
  if (state === undefined || state === 'excluded') {
    if (!selection.diverged.has(upstream)) return RANK.excluded
    // A head made up or long past is worse than no answer, but old blocks it may well have.
    return wish.atHead || upstream.breaker.state !== 'closed' ? RANK.divergedAtTip : RANK.diverged
  }
  if (upstream.lacks.size > 0 && lacks(selection, upstream, wish.method)) return RANK.lacking
  if (state === 'standby') return RANK.standby
  const height = upstream.head?.number ?? 0
  if (wish.heightMin !== null && height < wish.heightMin) return RANK.behindTip
  const tip = selection.head?.number ?? 0
  return wish.atHead && height < tip ? RANK.behindTip : RANK.fit
}

function limitsOf(network: Network): ChoiceLimits {
  return {
    lagBlocksMax: Math.max(LAG_BLOCKS_MIN, Math.ceil(network.headLagMsMax / network.blockTimeMs)),
    staleMs: Math.max(STALE_MS_MIN, network.blockTimeMs * STALE_BLOCKS),
    reportMaxAgeMs: Math.max(REPORT_MAX_AGE_MS_MIN, network.headPollMs * REPORT_MAX_AGE_POLLS),
  }
}
