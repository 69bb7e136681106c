import { findTeam } from '../../../../tables/accounts/teams.ts'
import { openPastUsage, type SummaryNeeds, usageSummary } from '../../figures/usage-summary.ts'
import type { TeamChannel } from '../team-channel.ts'

/** Reads what teams have used. */
export type UsageReader = {
  /** The summaries that changed since the last time, of teams where somebody wants them. */
  read(channels: ReadonlyMap<string, TeamChannel>): Promise<{ teamId: string; data: string }[]>
  /** The last summary that was read; null where there is none. */
  present(teamId: string): string | null
  forget(teamId: string): void
}

/** The usage of a busy team changes all the time. */
const USAGE_MS = 5_000

export function openUsageReader(needs: SummaryNeeds): UsageReader {
  const { clock, database } = needs
  const past = openPastUsage(database)
  const known = new Map<string, { readMs: number; data: string }>()

  const readOne = async (teamId: string) => {
    const before = known.get(teamId)
    const team = await findTeam(database, teamId)
    if (!team) return null
    const data = JSON.stringify(await usageSummary(needs, team, past))
    known.set(teamId, { readMs: clock.monotonicMs(), data })
    return before?.data === data ? null : { teamId, data }
  }

  return {
    async read(channels) {
      const changed: { teamId: string; data: string }[] = []
      for (const [teamId, { subscribers }] of channels) {
        const readMs = known.get(teamId)?.readMs ?? -USAGE_MS
        const isWanted = [...subscribers].some(({ topics }) => topics.has('usage'))
        if (!isWanted || clock.monotonicMs() - readMs < USAGE_MS) continue
        const summary = await readOne(teamId)
        if (summary) changed.push(summary)
      }
      return changed
    },
    present: (teamId) => known.get(teamId)?.data ?? null,
    forget(teamId) {
      known.delete(teamId)
      past.forget(teamId)
    },
  }
}
