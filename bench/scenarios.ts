import type { Scenario } from './compare.ts'
import { standingQueries } from './p6-standing-queries.ts'
import { manyQueries } from './p7-many-queries.ts'
import { largeVariables } from './p8-large-variables.ts'
import { deliveries } from './p9-deliveries.ts'
import { hangingHosts } from './p10-hanging-hosts.ts'
import { blockLatency } from './p11-block-latency.ts'
import { indexedPages } from './p12-indexed-pages.ts'
import { fullWalk } from './p13-full-walk.ts'
import { deadNames } from './p20-dead-names.ts'
import { RPC_SCENARIOS } from './rpc-scenarios.ts'

/** By the names they are given on the command line. */
export const SCENARIOS: Record<string, Scenario> = {
  ...RPC_SCENARIOS,
  p6: standingQueries,
  p7: manyQueries,
  p8: largeVariables,
  p9: deliveries,
  p10: hangingHosts,
  p11: blockLatency,
  p12: indexedPages,
  p13: fullWalk,
  p20: deadNames,
}
