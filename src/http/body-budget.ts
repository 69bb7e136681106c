import { Rejection } from '../core/errors.ts'
import type { Clock } from '../ports/clock.ts'
import { BODY_BYTES_MAX, type RequestBodies } from './request-bodies.ts'
import { windowLimiter } from './window-limiter.ts'

/** Counts what each team sends: reading, checking and storing it takes time by its length. */
export type BodyBudget = {
  /** The same bodies, with their bytes counted for this team. */
  forTeam(teamId: string): RequestBodies
}

/** Bytes of a team in a window: some fifteen calls with 10,000 items of a variable each. */
const TEAM_BYTES_PER_WINDOW_MAX = 10 * 2 ** 20
const WINDOW_MS = 10_000

/** Teams counted at once; some 100 bytes each. */
const TEAMS_MAX = 10_000

export function openBodyBudget(needs: { clock: Clock; bodies: RequestBodies }): BodyBudget {
  const sent = windowLimiter(needs, {
    countMax: TEAM_BYTES_PER_WINDOW_MAX,
    windowMs: WINDOW_MS,
    keysMax: TEAMS_MAX,
  })
  return {
    forTeam: (teamId) => ({
      async text(request) {
        const retryAfterS = sent.waitS(teamId)
        if (retryAfterS > 0) {
          const text = `A team may send ${TEAM_BYTES_PER_WINDOW_MAX} bytes in ten seconds.`
          return new Rejection('too_many_requests', text, { retryAfterS })
        }
        // Counted before it is there, so that many at once do not all slip in.
        const expected = expectedBytes(request)
        sent.add(teamId, expected)
        const body = await needs.bodies.text(request)
        if (typeof body === 'string') sent.add(teamId, Buffer.byteLength(body) - expected)
        return body
      },
    }),
  }
}

function expectedBytes({ headers, body }: Request): number {
  if (body === null) return 0
  const declared = headers.get('content-length')
  return Math.min(declared === null ? BODY_BYTES_MAX : Number(declared), BODY_BYTES_MAX)
}
