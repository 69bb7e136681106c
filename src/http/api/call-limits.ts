import type { Clock } from '../../ports/clock.ts'
import { type DryRunLimiter, openDryRunLimiter } from './queries/dry-run-limiter.ts'
import { openQueryCompiler, type QueryCompiler } from './queries/query-compiler.ts'
import { openTestSendLimiter, type TestSendLimiter } from './webhooks/test-send-limiter.ts'

/** Limits on a team's expensive calls, so that it takes nothing away from others. */
export type CallLimits = {
  queries: QueryCompiler
  dryRuns: DryRunLimiter
  testSends: TestSendLimiter
}

export function openCallLimits(needs: { clock: Clock }): CallLimits {
  return {
    queries: openQueryCompiler(needs),
    dryRuns: openDryRunLimiter(needs),
    testSends: openTestSendLimiter(needs),
  }
}
