import type { Scenario } from './compare.ts'
import { deliveries } from './p9-deliveries.ts'
import { hangingHosts } from './p10-hanging-hosts.ts'
import { clusterDeliveries } from './p16-cluster-deliveries.ts'
import { dashboard } from './p19-dashboard.ts'
import { deadNames } from './p20-dead-names.ts'

/** Scenarios about deliveries: how they get to receivers, and how they are looked at. */
export const DELIVERY_SCENARIOS: Record<string, Scenario> = {
  p9: deliveries,
  p10: hangingHosts,
  p16: clusterDeliveries,
  p19: dashboard,
  p20: deadNames,
}
