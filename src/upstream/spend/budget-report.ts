import type { Upstream } from '../node/upstream.ts'

/** The budget of an upstream as operators see it; null where none is configured. */
export function budgetReport({ spend }: Upstream) {
  if (spend === null) return null
  const { limits } = spend.account
  return {
    account: limits.account,
    requests_per_second: limits.requestsPerSecond,
    credits_per_month: limits.creditsPerMonth,
    credits_spent: spend.account.creditsSpent(),
    time_reset: spend.account.period().endMs,
  }
}
