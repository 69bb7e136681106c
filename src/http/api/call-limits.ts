import type { Clock } from '../../ports/clock.ts'
import type { WebhookStats } from '../../tables/deliveries/log/webhook-stats.ts'
import { windowLimiter } from '../edge/window-limiter.ts'
import { openDryRunLimiter } from './queries/dry-run-limiter.ts'
import { openCheckCounter, openQueryCompiler } from './queries/query-compiler.ts'

export type CallLimits = ReturnType<typeof openCallLimits>

/** Enough for somebody who debugs a receiver, and harmless to any server. */
const TEST_SENDS_MAX = 30

const TEST_SENDS = {
  countMax: TEST_SENDS_MAX,
  windowMs: 60_000,
  refusal: `A team may send ${TEST_SENDS_MAX} test deliveries in a minute.`,
}

/** Limits on a team's expensive calls, so that it takes nothing away from others. */
export function openCallLimits(clock: Clock) {
  return {
    queries: openQueryCompiler(clock),
    checks: openCheckCounter(clock),
    dryRuns: openDryRunLimiter(clock),
    /** Each is a request to a stranger's server, free of charge. */
    testSends: windowLimiter(clock, TEST_SENDS),
    stats: openRecentStats(clock),
  }
}

/** Nobody sees a difference, and a page that is loaded again and again costs no more. */
const STATS_KEPT_MS = 1_000

/** Teams that are kept at once, with some 10 KB for each of up to 100 webhooks. */
const STATS_TEAMS_MAX = 20

/** Reads a team's stats once for all who ask at the same moment. */
function openRecentStats(clock: Clock) {
  type Stats = Promise<readonly WebhookStats[]>
  const kept = new Map<string, { atMs: number; stats: Stats }>()
  return {
    of(teamId: string, read: () => Stats): Stats {
      const nowMs = clock.monotonicMs()
      const known = kept.get(teamId)
      if (known && nowMs - known.atMs < STATS_KEPT_MS) return known.stats
      kept.delete(teamId)
      for (const [oldest] of kept) if (kept.size >= STATS_TEAMS_MAX) kept.delete(oldest)
      const stats = read()
      kept.set(teamId, { atMs: nowMs, stats })
      // A reading that failed is done again by the next.
      stats.catch(() => kept.delete(teamId))
      return stats
    },
  }
}
