import type { UpstreamBudget } from '../network.ts'

export type BillingPeriod = { startMs: number; endMs: number }

/** The requests and credits that one upstream has spent in one billing period. */
export type Spending = {
  /** Upstreams of one account share a budget. */
  account: string
  network: string
  upstream: string
  /** The reset day on which the period began. */
  periodStartMs: number
  requests: number
  credits: number
}

/** Credits of a month that remain for our own polls and reads when calls may have no more. */
const RESERVE_SHARE = 1 / 20

/** An upstream that costs something gets a call when one that does not is so much busier. */
const PAID_FACTOR = 4

/** An account that spends faster than the month goes by counts as dearer, at most by this. */
const HASTE_FACTOR_MAX = 16

/** The billing period, in UTC, that a moment belongs to. */
export function billingPeriod(atMs: number, resetDay: number): BillingPeriod {
  const date = new Date(atMs)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  const resetMs = resetOf(year, month, resetDay)
  return atMs >= resetMs
    ? { startMs: resetMs, endMs: resetOf(year, month + 1, resetDay) }
    : { startMs: resetOf(year, month - 1, resetDay), endMs: resetMs }
}

/** A month that is too short for the day resets on its last one. */
function resetOf(year: number, month: number, resetDay: number): number {
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return Date.UTC(year, month, Math.min(resetDay, lastDay))
}

export function creditsOf(credits: UpstreamBudget['credits'], method: string): number {
  return (Object.hasOwn(credits, method) ? credits[method] : credits.default) ?? 0
}

/**
 * `left`: calls may be sent. `reserve`: only what is left for our own polls and reads.
 * `none`: not even that.
 */
export type CreditsLeft = 'left' | 'reserve' | 'none'

export function creditsLeft(spent: number, perMonth: number | null): CreditsLeft {
  if (perMonth === null || spent < perMonth - Math.floor(perMonth * RESERVE_SHARE)) return 'left'
  return spent < perMonth ? 'reserve' : 'none'
}

/**
 * How much dearer an upstream is than one of one's own: smoothly more, the more of the month's
 * credits are spent before their time.
 */
export function costFactor(
  spent: number,
  perMonth: number | null,
  { startMs, endMs }: BillingPeriod,
  nowMs: number,
): number {
  if (perMonth === null) return PAID_FACTOR
  const leftShare = Math.max(0, perMonth - spent) / perMonth
  const timeLeftShare = Math.min(1, Math.max(0, endMs - nowMs) / (endMs - startMs))
  if (leftShare * HASTE_FACTOR_MAX <= timeLeftShare) return PAID_FACTOR * HASTE_FACTOR_MAX
  return PAID_FACTOR * Math.max(1, timeLeftShare / leftShare)
}
