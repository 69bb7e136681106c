import type { Rejection } from '../../../core/errors.ts'
import type { Network } from '../../../core/network.ts'
import { compileForNetwork } from '../../../core/query/language/compile-for-network.ts'
import type { QueryPlan } from '../../../core/query/language/query-plan.ts'
import type { Clock } from '../../../ports/clock.ts'
import { windowLimiter } from '../../edge/window-limiter.ts'

export type QueryCounter = {
  count(teamId: string, text: string): Rejection | null
}

/**
 * Compiles what a team sends, in webhooks and dry runs alike, and counts it: a query at the
 * limits of its size takes some 20 ms, during which nobody else is served. What followers compile
 * anew because of a change of another kind is only counted.
 */
export type QueryCompiler = QueryCounter & {
  compile(teamId: string, text: string, network: Network): QueryPlan | Rejection
}

/** A query counts by the length of its text, as the work does, and a short one as one part. */
const PART_CHARS = 8 * 1024

/** Parts of a team in a window: all webhooks a team may have at once, twice over. */
const TEAM_PARTS_PER_WINDOW_MAX = 200

/** The same for checks: an editor asks four times a second at most, and a few people may type. */
const TEAM_CHECKS_PER_WINDOW_MAX = 100

const WINDOW_MS = 10_000

export function openQueryCompiler(clock: Clock): QueryCompiler {
  const { count } = openCounter(clock, TEAM_PARTS_PER_WINDOW_MAX, 'read')
  return {
    count,
    compile: (teamId, text, network) => count(teamId, text) ?? compileForNetwork(text, network),
  }
}

/** Apart from the others, so that whoever types can still save. */
export function openCheckCounter(clock: Clock): QueryCounter {
  return openCounter(clock, TEAM_CHECKS_PER_WINDOW_MAX, 'checked')
}

function openCounter(clock: Clock, countMax: number, done: string): QueryCounter {
  const refusal =
    `A team may have ${countMax} queries ${done} in ten seconds; one of over ` +
    `${PART_CHARS} characters counts as several.`
  const counted = windowLimiter(clock, { countMax, windowMs: WINDOW_MS, refusal })
  return {
    count: (teamId, text) => counted.take(teamId, Math.max(1, Math.ceil(text.length / PART_CHARS))),
  }
}
