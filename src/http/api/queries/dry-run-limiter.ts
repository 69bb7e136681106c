import { within } from '../../../core/async/within.ts'
import { Rejection } from '../../../core/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import { windowLimiter } from '../../edge/window-limiter.ts'

/** Keeps the place of a dry run taken until this has ended too. */
export type KeepPlace = (work: Promise<unknown>) => void

/** The share of the limits that one run takes: blocks read at once, and in all, as dry runs. */
type RunSize = { atOnce: number; inAll: number }

const ONE_BLOCK: RunSize = { atOnce: 1, inAll: 1 }

/** Somebody who tries out queries by hand has one; a page that compares some has a few. */
const TEAM_RUNS_MAX = 4

/** Bounds all teams together: a block with its traces may take a hundred megabytes for a while. */
const RUNS_MAX = 16

/** Dry runs of a team in ten seconds, refused queries among them: reading those is work too. */
const TEAM_RUNS_PER_WINDOW_MAX = 50
const WINDOW_MS = 10_000

/** A little longer than reading a block may take, so that the reader's own words come first. */
const RUN_MS_MAX = 45_000

/** Limits dry runs: each reads a block from an upstream, free of charge. */
export function openDryRunLimiter(clock: Clock) {
  const started = windowLimiter(clock, {
    countMax: TEAM_RUNS_PER_WINDOW_MAX,
    windowMs: WINDOW_MS,
    refusal: `A team may make ${TEAM_RUNS_PER_WINDOW_MAX} dry runs in ten seconds.`,
  })
  const running = new Map<string, number>()
  let total = 0

  const admit = (teamId: string, { atOnce }: RunSize): Rejection | null => {
    const refused = started.refuse(teamId)
    if (refused) return refused
    const hasOwn = (running.get(teamId) ?? 0) + atOnce <= TEAM_RUNS_MAX
    if (hasOwn && total + atOnce <= RUNS_MAX) return null
    const text = hasOwn
      ? 'Too many dry runs are under way here; please try again.'
      : `A team may make ${TEAM_RUNS_MAX} dry runs at once.`
    return new Rejection('too_many_requests', text, { retryAfterS: 1 })
  }

  const change = (teamId: string, by: number) => {
    total += by
    const own = (running.get(teamId) ?? 0) + by
    if (own === 0) running.delete(teamId)
    else running.set(teamId, own)
  }

  return {
    async run<T>(
      teamId: string,
      work: (keep: KeepPlace) => Promise<T>,
      size = ONE_BLOCK,
    ): Promise<T | Rejection> {
      const refused = admit(teamId, size)
      if (refused) return refused
      started.add(teamId, size.inAll)
      change(teamId, size.atOnce)
      const kept: Promise<unknown>[] = []
      // The slot is released when the work ends, not when its caller got the timeout.
      const working = work((more) => kept.push(more)).finally(() => {
        void Promise.allSettled(kept).then(() => change(teamId, -size.atOnce))
      })
      return within(clock, RUN_MS_MAX, working, tookTooLong)
    },
  }
}

function tookTooLong(): Rejection {
  const text = `The dry run took longer than ${RUN_MS_MAX / 1000} seconds.`
  return new Rejection('upstream_timeout', text)
}
