import type { Clock } from '../../ports/clock.ts'
import { type DryRunTurns, openDryRunTurns } from '../api/queries/dry-run-turns.ts'
import { openQueryCompiler, type QueryCompiler } from '../api/queries/query-compiler.ts'
import { openTestSends, type TestSends } from '../api/webhooks/test-sends.ts'

/** What bounds the dear calls of a team, so that it takes nothing away from others. */
export type CallTurns = { queries: QueryCompiler; dryRuns: DryRunTurns; testSends: TestSends }

export function openCallTurns(needs: { clock: Clock }): CallTurns {
  return {
    queries: openQueryCompiler(needs),
    dryRuns: openDryRunTurns(needs),
    testSends: openTestSends(needs),
  }
}
