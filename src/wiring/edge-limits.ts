import type { Settings } from '../config/config.ts'
import { openReaderWatch } from '../gateway/reader-watch.ts'
import { openUnreadBudget } from '../gateway/unread-budget.ts'
import { openRequestBodies } from '../http/edge/request-bodies.ts'
import { openSmallBodies } from '../http/edge/small-bodies.ts'
import type { Drivers } from './drivers.ts'

/**
 * Limits on requests on their way in and answers on their way out, for all clients together.
 * The limits are read each time, since a reload may change them.
 */
export function openEdgeLimits({ clock }: Pick<Drivers, 'clock'>, { limits }: Settings) {
  return {
    bodies: openRequestBodies({
      clock,
      get bytesMax() {
        return limits.bodiesBytesMax
      },
      get deadlineMs() {
        return limits.bodyMs
      },
    }),
    smallBodies: openSmallBodies({ clock, deadlineMs: () => limits.bodyMs }),
    answers: openUnreadBudget(() => limits.unreadBytesMax),
    readers: openReaderWatch(clock, () => limits.unreadMs),
  }
}
