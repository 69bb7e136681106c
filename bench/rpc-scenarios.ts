import type { Scenario } from './compare.ts'
import { passThrough } from './p1-pass-through.ts'
import { repeated } from './p2-repeated.ts'
import { batches } from './p3-batch.ts'
import { streaming } from './p4-streaming.ts'
import { failover } from './p5-failover.ts'
import { subscriptions } from './p17-subscriptions.ts'
import { completeLogs } from './p18-complete-logs.ts'

/** Node access. */
export const RPC_SCENARIOS: Record<string, Scenario> = {
  p1: passThrough,
  p2: repeated,
  p3: batches,
  p4: streaming,
  p5: failover,
  p17: subscriptions,
  p18: completeLogs,
}
