import type { Effort, Result } from './compare.ts'
import { passThrough } from './p1-pass-through.ts'
import { repeated } from './p2-repeated.ts'
import { batches } from './p3-batch.ts'
import { streaming } from './p4-streaming.ts'
import { failover } from './p5-failover.ts'
import { standingQueries } from './p6-standing-queries.ts'
import { manyQueries } from './p7-many-queries.ts'
import { largeVariables } from './p8-large-variables.ts'
import { deliveries } from './p9-deliveries.ts'
import { hangingHosts } from './p10-hanging-hosts.ts'
import { blockLatency } from './p11-block-latency.ts'

/** By the names they are given on the command line. */
export const SCENARIOS: Record<string, (effort: Effort) => Promise<Result>> = {
  p1: passThrough,
  p2: repeated,
  p3: batches,
  p4: streaming,
  p5: failover,
  p6: standingQueries,
  p7: manyQueries,
  p8: largeVariables,
  p9: deliveries,
  p10: hangingHosts,
  p11: blockLatency,
}
