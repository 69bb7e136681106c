import type { Clock } from '../../ports/clock.ts'
import type { UpstreamPool } from './routed-request.ts'
import { drainQueues } from './upstream-pool.ts'

/** A call that waits for the next second's requests waits hardly longer than it must. */
const DRAIN_EVERY_MS = 20

/**
 * Launches calls that wait because upstreams are at their limit of requests a second: there need
 * be no call in flight whose end would do it. Returns how to stop.
 */
export function drainPaced(clock: Clock, pool: UpstreamPool): () => void {
  const isPaced = pool.network.upstreams.some(({ budget }) => budget?.requestsPerSecond)
  if (!isPaced) return () => {}
  return clock.every(DRAIN_EVERY_MS, () => {
    if (pool.queue.length > 0 || pool.shareQueues.length > 0) drainQueues(pool)
  })
}
