import { openCallLimits } from '../../../src/http/api/call-limits.ts'
import { openRequestBodies } from '../../../src/http/edge/request-bodies.ts'
import { openApiReply } from '../../../src/http/pages/open-api-reply.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import { systemClock } from '../../../src/system/machine/system-clock.ts'

/** Parts of the management API that its tests take as they are. */
export function apiParts(clock: Clock, publicUrl: string) {
  return {
    bodies: openRequestBodies({ clock: systemClock(), bytesMax: 2 ** 26, deadlineMs: 15_000 }),
    tokenHeaders: ['X-Alchemy-Token'],
    openApi: openApiReply(publicUrl, ['X-Alchemy-Token']),
    trustProxy: false,
    localSignIn: null,
    isDiskLow: () => false,
    limits: openCallLimits(clock),
  }
}
