import type { Tier } from '../../../src/core/billing/plan.ts'

/** A tier without limits on calls, for what a test does not care about. */
export function aTier(limits: Partial<Tier> = {}): Tier {
  return {
    name: 'free',
    monthlyCu: null,
    cuPerSecond: null,
    paid: false,
    webhooksMax: 100,
    variableItemsMax: 1_000_000,
    undeliveredBytesMax: 2 ** 26,
    ...limits,
  }
}
