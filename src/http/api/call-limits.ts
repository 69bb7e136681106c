import type { Clock } from '../../ports/clock.ts'
import { type DryRunLimiter, openDryRunLimiter } from './queries/dry-run-limiter.ts'
import {
  openCheckCounter,
  openQueryCompiler,
  type QueryCompiler,
  type QueryCounter,
} from './queries/query-compiler.ts'
import { openRecentStats, type RecentStats } from './webhooks/stats-calls.ts'
import { openTestSendLimiter, type TestSendLimiter } from './webhooks/test-send-limiter.ts'

/** Limits on a team's expensive calls, so that it takes nothing away from others. */
export type CallLimits = {
  queries: QueryCompiler
  checks: QueryCounter
  dryRuns: DryRunLimiter
  testSends: TestSendLimiter
  stats: RecentStats
}

export function openCallLimits(needs: { clock: Clock }): CallLimits {
  return {
    queries: openQueryCompiler(needs),
    checks: openCheckCounter(needs),
    dryRuns: openDryRunLimiter(needs),
    testSends: openTestSendLimiter(needs),
    stats: openRecentStats(needs),
  }
}
