import type { Scenario } from './compare.ts'
import { deliveries } from './p9-deliveries.ts'
import { hangingHosts } from './p10-hanging-hosts.ts'
import { clusterDeliveries } from './p16-cluster-deliveries.ts'
import { deadNames } from './p20-dead-names.ts'

/** Scenarios that end at the receivers of webhooks. */
export const DELIVERY_SCENARIOS: Record<string, Scenario> = {
  p9: deliveries,
  p10: hangingHosts,
  p16: clusterDeliveries,
  p20: deadNames,
}
