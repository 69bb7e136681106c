import {
  fullRequestBucket,
  type RequestBucket,
  requestsLeft,
  takeRequests,
} from '../../core/billing/request-bucket.ts'
import {
  type BillingPeriod,
  billingPeriod,
  type CreditsLeft,
  costFactor,
  creditsLeft,
} from '../../core/billing/upstream-budget.ts'
import type { UpstreamBudget } from '../../core/network.ts'
import type { Clock } from '../../ports/clock.ts'

type SpendLimits = Omit<UpstreamBudget, 'credits'>

export type SpendAccount = ReturnType<typeof openSpendAccount>

/** The budget of one account, and how much of it all its upstreams have spent in all processes. */
export function openSpendAccount(clock: Clock, given: SpendLimits) {
  let limits = given
  let bucket = newBucket(clock, given)
  let period = billingPeriod(clock.nowMs(), given.resetDay)
  /** Credits of the period in the ledger, and those of this process that are not there yet. */
  let writtenCredits = 0
  let ownCredits = 0

  const begin = (nowMs: number) => {
    period = billingPeriod(nowMs, limits.resetDay)
    writtenCredits = 0
    ownCredits = 0
  }
  const now = (): number => {
    const nowMs = clock.nowMs()
    if (nowMs < period.startMs || nowMs >= period.endMs) begin(nowMs)
    return nowMs
  }
  const current = (): BillingPeriod => {
    now()
    return period
  }
  const spent = () => writtenCredits + ownCredits
  const take = (requests: number) => {
    if (bucket !== null) takeRequests(bucket, requests, clock.monotonicMs())
  }

  return {
    get limits(): SpendLimits {
      return limits
    },
    limit(next: SpendLimits): void {
      const before = limits
      limits = next
      if (next.requestsPerSecond !== before.requestsPerSecond) bucket = newBucket(clock, next)
      if (next.resetDay !== before.resetDay) begin(clock.nowMs())
    },
    period: current,
    creditsSpent(): number {
      now()
      return spent()
    },
    creditsLeft(): CreditsLeft {
      if (limits.creditsPerMonth === null) return 'left'
      now()
      return creditsLeft(spent(), limits.creditsPerMonth)
    },
    /** Requests that may be sent now; Infinity without a limit. */
    requestsLeft(): number {
      if (bucket === null) return Number.POSITIVE_INFINITY
      return requestsLeft(bucket, clock.monotonicMs())
    },
    /** This process has spent it; returns the start of the month that it counts for. */
    spend(requests: number, credits: number): number {
      const { startMs } = current()
      take(requests)
      ownCredits += credits
      return startMs
    },
    sentElsewhere: take,
    /** The ledger has credits now that this process has spent. */
    written(periodStartMs: number, credits: number): void {
      if (periodStartMs !== current().startMs) return
      ownCredits -= credits
      writtenCredits += credits
    },
    /** The sum of the ledger over all processes. */
    read(periodStartMs: number, credits: number): void {
      if (periodStartMs === current().startMs) writtenCredits = credits
    },
    costFactor: () => {
      const nowMs = now()
      return costFactor(spent(), limits.creditsPerMonth, period, nowMs)
    },
  }
}

function newBucket(clock: Clock, { requestsPerSecond }: SpendLimits): RequestBucket | null {
  if (requestsPerSecond === null) return null
  return fullRequestBucket(requestsPerSecond, clock.monotonicMs())
}
