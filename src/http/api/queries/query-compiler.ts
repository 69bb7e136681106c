import { Rejection } from '../../../core/errors.ts'
import type { Network } from '../../../core/network.ts'
import { compileForNetwork } from '../../../core/query/language/compile-for-network.ts'
import type { QueryPlan } from '../../../core/query/language/query-plan.ts'
import type { Clock } from '../../../ports/clock.ts'
import { windowLimiter } from '../../edge/window-limiter.ts'

type Needs = { clock: Clock }

/**
 * Compiles what a team sends, in webhooks and dry runs alike, and counts it: a query at the
 * limits of its size takes some 20 ms, during which nobody else is served.
 */
export type QueryCompiler = {
  compile(teamId: string, text: string, network: Network): QueryPlan | Rejection
  /** Counts what followers compile anew because of a change of another kind. */
  count(teamId: string, text: string): Rejection | null
}

/** A query counts by the length of its text, as the work does, and a short one as one part. */
const PART_CHARS = 8 * 1024

/** Parts of a team in a window: all webhooks a team may have at once, twice over. */
const TEAM_PARTS_PER_WINDOW_MAX = 200
const WINDOW_MS = 10_000

/** Teams counted at once; some 100 bytes each. */
const TEAMS_MAX = 10_000

export function openQueryCompiler({ clock }: Needs): QueryCompiler {
  const limits = { countMax: TEAM_PARTS_PER_WINDOW_MAX, windowMs: WINDOW_MS, keysMax: TEAMS_MAX }
  const compiled = windowLimiter({ clock }, limits)

  const count = (teamId: string, text: string): Rejection | null => {
    const retryAfterS = compiled.waitS(teamId)
    if (retryAfterS > 0) {
      const told =
        `A team may have ${TEAM_PARTS_PER_WINDOW_MAX} queries read in ten seconds; one of over ` +
        `${PART_CHARS} characters counts as several.`
      return new Rejection('too_many_requests', told, { retryAfterS })
    }
    compiled.add(teamId, Math.max(1, Math.ceil(text.length / PART_CHARS)))
    return null
  }

  return {
    count,
    compile: (teamId, text, network) => count(teamId, text) ?? compileForNetwork(text, network),
  }
}
