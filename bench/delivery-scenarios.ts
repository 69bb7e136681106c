import type { Scenario } from './compare.ts'
import { deliveries } from './p9-deliveries.ts'
import { hangingHosts } from './p10-hanging-hosts.ts'
import { clusterDeliveries } from './p16-cluster-deliveries.ts'
import { dashboard } from './p19-dashboard.ts'
import { deadNames } from './p20-dead-names.ts'
import { blockProofs } from './p21-block-proofs.ts'

/** Scenarios about deliveries: what they tell, how they get to receivers, and how they look. */
export const DELIVERY_SCENARIOS: Record<string, Scenario> = {
  p9: deliveries,
  p10: hangingHosts,
  p16: clusterDeliveries,
  p19: dashboard,
  p20: deadNames,
  p21: blockProofs,
}
