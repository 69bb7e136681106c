import { ACCOUNT_SCENARIOS } from './account-scenarios.ts'
import { CAPACITY_SCENARIOS } from './capacity/capacity-scenarios.ts'
import type { Scenario } from './compare.ts'
import { DELIVERY_SCENARIOS } from './delivery-scenarios.ts'
import { standingQueries } from './p6-standing-queries.ts'
import { manyQueries } from './p7-many-queries.ts'
import { largeVariables } from './p8-large-variables.ts'
import { blockLatency } from './p11-block-latency.ts'
import { memory } from './p14-memory.ts'
import { startToAnswer } from './p15-start.ts'
import { RPC_SCENARIOS } from './rpc-scenarios.ts'

/** By the names they are given on the command line. */
export const SCENARIOS: Record<string, Scenario> = {
  ...RPC_SCENARIOS,
  p6: standingQueries,
  p7: manyQueries,
  p8: largeVariables,
  p11: blockLatency,
  ...ACCOUNT_SCENARIOS,
  p14: memory,
  p15: startToAnswer,
  ...DELIVERY_SCENARIOS,
  ...CAPACITY_SCENARIOS,
}
