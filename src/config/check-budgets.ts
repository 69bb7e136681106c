import { fieldName, type JsonPath } from '../core/json/json-value.ts'
import type { SchemaFault } from '../core/schema/check-schema.ts'
import type { BudgetValues } from './budget-schema.ts'
import type { NetworkValues } from './config-network-schema.ts'

/** Upstreams that share an account have one budget, so all of them must say the same. */
export function checkBudgets(networks: readonly NetworkValues[]): SchemaFault[] {
  const first = new Map<string, { path: JsonPath; limits: string }>()
  return networks.flatMap(({ upstreams }, at) =>
    upstreams.flatMap(({ budget }, upstreamAt): SchemaFault[] => {
      if (budget?.account === undefined) return []
      const path = ['networks', at, 'upstreams', upstreamAt, 'budget']
      const limits = limitsOf(budget)
      const known = first.get(budget.account)
      if (!known) first.set(budget.account, { path, limits })
      if (!known || known.limits === limits) return []
      const message =
        `${fieldName(path)} must have the limits and the resetDay of ` +
        `${fieldName(known.path)}, which has the same account`
      return [{ path, message }]
    }),
  )
}

function limitsOf({ requestsPerSecond, creditsPerMonth, resetDay }: BudgetValues): string {
  return JSON.stringify([requestsPerSecond, creditsPerMonth, resetDay])
}
