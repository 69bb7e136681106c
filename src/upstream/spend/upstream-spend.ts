import { creditsOf, type Spending } from '../../core/billing/upstream-budget.ts'
import type { UpstreamBudget } from '../../core/network.ts'
import type { Clock } from '../../ports/clock.ts'
import type { SpendAccount } from './spend-account.ts'

export type UpstreamSpend = ReturnType<typeof openUpstreamSpend>

/** Without credits an upstream is looked at so seldom that it costs next to nothing. */
const POLL_EVERY_MS_EMPTY = 60_000

export function openUpstreamSpend(
  clock: Clock,
  account: SpendAccount,
  place: { network: string; upstream: string },
  spent: (credits: number) => void,
) {
  let credits: UpstreamBudget['credits'] = {}
  let isFree = false
  let polledAtMs = Number.NEGATIVE_INFINITY
  let untaken = new Map<number, { requests: number; credits: number }>()

  return {
    account,
    /** Sets what calls cost. */
    price(next: UpstreamBudget['credits']): void {
      credits = next
      isFree = Object.values(next).every((price) => price === 0)
    },
    /** A request leaves; it is counted whatever comes of it. */
    note(method: string): void {
      const price = creditsOf(credits, method)
      const periodStartMs = account.spend(1, price)
      const sum = untaken.get(periodStartMs)
      if (sum) {
        sum.requests++
        sum.credits += price
      } else {
        untaken.set(periodStartMs, { requests: 1, credits: price })
      }
      spent(price)
    },
    /** True when so many requests more are within the second. */
    hasRoom: (requests: number) => account.requestsLeft() >= requests,
    creditsLeft: () => account.creditsLeft(),
    /** True when a call of an app may be sent now. */
    mayCall: () => account.creditsLeft() === 'left' && account.requestsLeft() >= 1,
    /** True when a poll may be sent: polls slow down where a budget is used up, and never stop. */
    mayPoll(): boolean {
      const nowMs = clock.monotonicMs()
      const isEmpty = account.creditsLeft() === 'none'
      if (isEmpty && nowMs - polledAtMs < POLL_EVERY_MS_EMPTY) return false
      // Calls wait for the polls, not the other way round; but polls alone may be too many.
      const { requestsPerSecond } = account.limits
      if (requestsPerSecond !== null && account.requestsLeft() <= 1 - requestsPerSecond) {
        return false
      }
      polledAtMs = nowMs
      return true
    },
    costFactor: () => (isFree ? 1 : account.costFactor()),
    /** All that was spent since it was last taken, by month. */
    take(): Spending[] {
      const taken = untaken
      untaken = new Map()
      const { account: name } = account.limits
      return [...taken].map(([periodStartMs, sum]) => {
        return { account: name, ...place, periodStartMs, ...sum }
      })
    },
  }
}
