import type { CreditsLeft } from '../../core/billing/upstream-budget.ts'

export type UpstreamView = {
  name: string
  priority: number
  chain: 'unknown' | 'right' | 'wrong'
  breaker: 'closed' | 'open' | 'half_open'
  throttled: boolean
  /** The part of the month's credits that is left there for calls. */
  credits: CreditsLeft
  /** Failures of the last seconds, from 0 to 1, and how many calls that is drawn from. */
  errorRate: number
  samples: number
  latencyMs: number
  head: ReportedHead | null
}

export type ReportedHead = {
  number: number
  hash: string
  /** The age of the block by its own word; null where the chain does not say. */
  blockAgeMs: number | null
  /** Time since the upstream last answered with a head at all. */
  reportedAgoMs: number
  advancedAgoMs: number
}

export type Verdict = {
  name: string
  state: 'used' | 'standby' | 'excluded'
  reason: string
  lagBlocks: number | null
  /** Its head is so far from the tip that what it says of the tip is wrong. */
  diverged: boolean
}

export type ChoiceLimits = {
  lagBlocksMax: number
  /** A head that has not moved for this long while another's has is stale. */
  staleMs: number
  /** A report older than this says nothing about now. */
  reportMaxAgeMs: number
  blockTimeMs: number
}

export type Tip = { number: number; hash: string }

export type KnownTip = { number: number; movedAgoMs: number }

/** Below this many calls a rate is noise. */
const SAMPLES_MIN = 10
const ERROR_RATE_MAX = 0.5

/** Slower than the best by this factor, and by this much, an upstream only stands by. */
const SLOWER_FACTOR = 8
const SLOWER_MS_MIN = 250

/** A chain may be so much faster than its blocks' usual time for a while. */
const PACE_FACTOR = 2

/**
 * The head that the upstreams agree on: the highest that at least two have
 * reached, so that no single one can invent it. With one witness its word counts.
 */
export function corroboratedTip(
  views: readonly UpstreamView[],
  limits: ChoiceLimits,
  known: KnownTip | null,
): Tip | null {
  const heads = witnesses(views, limits, known).map((view) => view.head as ReportedHead)
  heads.sort((a, b) => b.number - a.number)
  const [highest, second] = heads
  if (!highest) return null
  if (!second) return { number: highest.number, hash: highest.hash }
  if (heads.length === 2 && highest.number - second.number > limits.lagBlocksMax) {
    return fresherOfTwo(highest, second, limits.staleMs)
  }
  const at = heads.filter((head) => head.number === second.number)
  return { number: second.number, hash: mostCommonHash(at) }
}

export function judgeUpstreams(
  views: readonly UpstreamView[],
  tip: Tip | null,
  limits: ChoiceLimits,
): Verdict[] {
  const anyHead = views.some((view) => view.chain === 'right' && view.head !== null)
  const excluded = views.map((view) => exclusion(view, tip, limits, anyHead))
  const fit = views.filter((_, index) => excluded[index] === null)
  const bestPriority = Math.min(...fit.map((view) => view.priority))
  const preferred = fit.filter((view) => view.priority === bestPriority)
  const bestLatencyMs = Math.min(...preferred.map((view) => view.latencyMs))

  return views.map((view, index) => {
    const { name } = view
    const behind = tip && view.head ? tip.number - view.head.number : null
    const lagBlocks = behind === null ? null : Math.max(0, behind)
    const diverged = behind !== null && Math.abs(behind) > limits.lagBlocksMax
    const why = excluded[index] ?? null
    if (why !== null) return { name, state: 'excluded', reason: why, lagBlocks, diverged }
    if (view.priority > bestPriority) {
      return { name, state: 'standby', reason: 'preferred upstreams work', lagBlocks, diverged }
    }
    const slow =
      view.latencyMs > bestLatencyMs * SLOWER_FACTOR &&
      view.latencyMs - bestLatencyMs > SLOWER_MS_MIN
    if (slow) {
      return { name, state: 'standby', reason: 'much slower than the best', lagBlocks, diverged }
    }
    return { name, state: 'used', reason: 'healthy', lagBlocks, diverged }
  })
}

function exclusion(
  view: UpstreamView,
  tip: Tip | null,
  limits: ChoiceLimits,
  anyHead: boolean,
): string | null {
  if (view.chain === 'wrong') return 'on another chain'
  if (view.breaker === 'open') return 'failing: resting before the next probe'
  if (view.breaker === 'half_open') return 'failing: being probed'
  if (view.throttled) return 'rate-limited by the upstream'
  if (view.credits !== 'left') return 'credits of the month are used up'
  // Never having reported is not the same as being at the tip.
  if (anyHead && view.chain === 'unknown') return 'chain not checked yet'
  if (anyHead && view.head === null) return 'has not reported a head yet'
  if (view.samples >= SAMPLES_MIN && view.errorRate > ERROR_RATE_MAX) return 'error rate too high'
  return view.head && tip ? headFault(view.head, tip, limits) : null
}

function headFault(head: ReportedHead, tip: Tip, limits: ChoiceLimits): string | null {
  if (head.reportedAgoMs > limits.reportMaxAgeMs) return 'has not reported a head lately'
  const behind = tip.number - head.number
  if (behind > limits.lagBlocksMax) return `${behind} blocks behind`
  if (-behind > limits.lagBlocksMax) return `${-behind} blocks ahead of what others confirm`
  if (behind > 0 && head.advancedAgoMs > limits.staleMs) return 'head is stuck'
  return null
}

function witnesses(
  views: readonly UpstreamView[],
  limits: ChoiceLimits,
  known: KnownTip | null,
): UpstreamView[] {
  const all = views.filter(
    (view) =>
      view.chain === 'right' &&
      view.head !== null &&
      view.head.reportedAgoMs <= limits.reportMaxAgeMs,
  )
  const reporting = withoutLoneLeap(all, limits, known)
  // A node that stands still while others move has no say in where the tip is.
  const moving = reporting.filter((view) => (view.head?.advancedAgoMs ?? 0) <= limits.staleMs)
  return moving.length > 0 ? moving : reporting
}

/**
 * Without the one that claims more blocks than the chain can have made since the tip moved, if no
 * other does: it has no say, however lively its head is and however still the others stand.
 */
function withoutLoneLeap(
  reporting: UpstreamView[],
  { lagBlocksMax, blockTimeMs }: ChoiceLimits,
  known: KnownTip | null,
): UpstreamView[] {
  if (known === null || reporting.length < 2) return reporting
  const madeMax = PACE_FACTOR * (lagBlocksMax + known.movedAgoMs / blockTimeMs)
  const leaps = reporting.filter(({ head }) => (head?.number ?? 0) - known.number > madeMax)
  return leaps.length === 1 ? reporting.filter((view) => view !== leaps[0]) : reporting
}

/**
 * When two are far apart, one syncs or one lies. The one that stands at a block of
 * right now is at the tip: a syncing node's blocks are old, a liar's height is not.
 * A slot does not say how old it is; there the higher counts, as nodes that fall
 * behind are met every day and nodes that make up slots are not.
 */
function fresherOfTwo(higher: ReportedHead, lower: ReportedHead, staleMs: number): Tip {
  const lowerIsNow = lower.blockAgeMs !== null && lower.blockAgeMs <= staleMs
  const chosen = lowerIsNow ? lower : higher
  return { number: chosen.number, hash: chosen.hash }
}

function mostCommonHash(heads: readonly ReportedHead[]): string {
  const votes = new Map<string, number>()
  for (const head of heads) votes.set(head.hash, (votes.get(head.hash) ?? 0) + 1)
  let best = heads[0]?.hash ?? ''
  for (const [hash, count] of votes) {
    if (count > (votes.get(best) ?? 0)) best = hash
  }
  return best
}
