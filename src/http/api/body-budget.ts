import { Rejection } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import { BODY_BYTES_MAX, type RequestBodies } from '../edge/request-bodies.ts'
import { windowLimiter } from '../edge/window-limiter.ts'

export type BodyBudget = ReturnType<typeof openBodyBudget>

/** Bytes of a team in a window: some fifteen calls with 10,000 items of a variable each. */
const TEAM_BYTES_PER_WINDOW_MAX = 10 * 2 ** 20
const WINDOW_MS = 10_000

/** Bytes that a team reads in a window: ten times all its webhooks with the longest queries. */
const TEAM_READ_BYTES_PER_WINDOW_MAX = 64 * 2 ** 20

/** More than a token and what stands around it. */
const VISITOR_BODY_BYTES_MAX = 4096

/** Counts the bytes each team sends and is sent: both take time by their length. */
export function openBodyBudget(clock: Clock, all: RequestBodies) {
  const sent = windowLimiter(clock, {
    countMax: TEAM_BYTES_PER_WINDOW_MAX,
    windowMs: WINDOW_MS,
    refusal: `A team may send ${TEAM_BYTES_PER_WINDOW_MAX} bytes in ten seconds.`,
  })
  const read = windowLimiter(clock, {
    countMax: TEAM_READ_BYTES_PER_WINDOW_MAX,
    windowMs: WINDOW_MS,
    refusal: `A team may read ${TEAM_READ_BYTES_PER_WINDOW_MAX} bytes in ten seconds.`,
  })

  return {
    /** The answer of a call that changes nothing, with its bytes counted for this team. */
    async read(
      teamId: string,
      work: () => Promise<unknown>,
      reply: (text: string) => Response,
    ): Promise<Response | Rejection> {
      const refused = read.refuse(teamId)
      if (refused) return refused

      const value = await work()
      if (value instanceof Rejection || value instanceof Response) return value
      // Many may have been let in at once, before the first of them was counted.
      const late = read.refuse(teamId)
      if (late) return late

      const text = JSON.stringify(value)
      read.add(teamId, text.length)
      return reply(text)
    },

    /** Bodies of clients without a token or session: small ones only. */
    forVisitors: {
      async text(request: Request): Promise<string | Rejection> {
        if (expectedBytes(request) <= VISITOR_BODY_BYTES_MAX) return all.text(request)
        const text = `The body is over ${VISITOR_BODY_BYTES_MAX} bytes, or does not say its length.`
        return new Rejection('too_large', text)
      },
    },

    forTeam: (teamId: string) => ({
      async text(request: Request): Promise<string | Rejection> {
        // Counted before it has arrived, so that many at once do not all slip in.
        const expected = expectedBytes(request)
        const refused = sent.take(teamId, expected)
        if (refused) return refused
        const body = await all.text(request)
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
