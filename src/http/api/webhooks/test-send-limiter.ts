import { Rejection } from '../../../core/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import { windowLimiter } from '../../edge/window-limiter.ts'

type Needs = { clock: Clock }

/** Limits test deliveries: each is a request to a stranger's server, free of charge. */
export type TestSendLimiter = {
  /** Counts it, or says why not. */
  take(teamId: string): Rejection | null
}

/** Enough for somebody who debugs a receiver, and harmless to any server. */
const TEAM_SENDS_PER_WINDOW_MAX = 30
const WINDOW_MS = 60_000

/** Teams counted at once; some 100 bytes each. */
const TEAMS_MAX = 10_000

export function openTestSendLimiter({ clock }: Needs): TestSendLimiter {
  const limits = { countMax: TEAM_SENDS_PER_WINDOW_MAX, windowMs: WINDOW_MS, keysMax: TEAMS_MAX }
  const sent = windowLimiter({ clock }, limits)
  return {
    take(teamId) {
      const retryAfterS = sent.waitS(teamId)
      if (retryAfterS > 0) {
        const text = `A team may send ${TEAM_SENDS_PER_WINDOW_MAX} test deliveries in a minute.`
        return new Rejection('too_many_requests', text, { retryAfterS })
      }
      sent.add(teamId)
      return null
    },
  }
}
