import { openDryRunTurns } from '../../src/http/dry-run-turns.ts'
import { openApiReply } from '../../src/http/open-api-document.ts'
import { openRequestBodies } from '../../src/http/request-bodies.ts'
import { openTestSends } from '../../src/http/test-sends.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { systemClock } from '../../src/system/system-clock.ts'

/** Parts of the management API that its tests take as they are. */
export function apiParts(clock: Clock, publicUrl: string) {
  return {
    bodies: openRequestBodies({ clock: systemClock(), bytesMax: 2 ** 26, deadlineMs: 15_000 }),
    openApi: openApiReply(publicUrl),
    dryRuns: openDryRunTurns({ clock }),
    testSends: openTestSends({ clock }),
  }
}
