import type { Network } from '../../../core/network.ts'
import { compileForNetwork } from '../../../core/query/language/compile-for-network.ts'
import type { Clock } from '../../../ports/clock.ts'
import { windowLimiter } from '../../edge/window-limiter.ts'

/** A query counts by the length of its text, as the work does, and a short one as one part. */
const PART_CHARS = 8 * 1024

/** Parts of a team in a window: all webhooks a team may have at once, twice over. */
const TEAM_PARTS_PER_WINDOW_MAX = 200

/** The same for checks: an editor asks four times a second at most, and a few people may type. */
const TEAM_CHECKS_PER_WINDOW_MAX = 100

const WINDOW_MS = 10_000

/**
 * Compiles and counts a team's queries, in webhooks and dry runs alike: a query at the limits of
 * its size takes about 20 ms, during which the process serves no other call. A query that
 * followers compile again because of a change of another kind is only counted.
 */
export function openQueryCompiler(clock: Clock) {
  const { count } = openCounter(clock, TEAM_PARTS_PER_WINDOW_MAX, 'read')
  return {
    count,
    compile: (teamId: string, text: string, network: Network) =>
      count(teamId, text) ?? compileForNetwork(text, network),
  }
}

/** Apart from the others, so that whoever types can still save. */
export function openCheckCounter(clock: Clock) {
  return openCounter(clock, TEAM_CHECKS_PER_WINDOW_MAX, 'checked')
}

function openCounter(clock: Clock, countMax: number, done: string) {
  const refusal =
    `A team may have ${countMax} queries ${done} in ten seconds; one of over ` +
    `${PART_CHARS} characters counts as several.`
  const counted = windowLimiter(clock, { countMax, windowMs: WINDOW_MS, refusal })
  return {
    count: (teamId: string, text: string) =>
      counted.take(teamId, Math.max(1, Math.ceil(text.length / PART_CHARS))),
  }
}
