import type { Scenario } from '../compare.ts'
import { workers } from '../p1-workers.ts'
import { capacity } from './capacity.ts'
import { capacityCosts } from './capacity-costs.ts'

/** How far several processes and machines go. */
export const CAPACITY_SCENARIOS: Record<string, Scenario> = {
  'p1-workers': workers,
  capacity,
  'capacity-costs': capacityCosts,
}
