import type { Clock } from '../../../../ports/clock.ts'
import type { Database } from '../../../../ports/database.ts'
import { type Replay, watchedReplays } from '../../../../tables/webhooks/replays.ts'

type Needs = { clock: Clock; database: Database }

export type ReplayReader = {
  /** The replays of the team as they are now are no news. */
  begin(teamId: string): Promise<void>
  /** Replays that got on, or ended, since the last time. */
  read(): Promise<Replay[]>
  forget(teamId: string): void
}

/** By replay: how far it was. */
type Progress = Map<string, { text: string; isRunning: boolean }>

/** One that was started and has ended since the last time is found for so long. */
const NEW_MS = 60_000

export function openReplayReader({ clock, database }: Needs): ReplayReader {
  const known = new Map<string, Progress>()

  const readOf = (teamIds: readonly string[], ids: readonly string[]) =>
    watchedReplays(database, teamIds, { sinceMs: clock.nowMs() - NEW_MS, ids })

  return {
    async begin(teamId) {
      if (!known.has(teamId)) known.set(teamId, progressOf(await readOf([teamId], [])))
    },
    async read() {
      if (known.size === 0) return []
      const running = [...known.values()].flatMap((ours) =>
        [...ours].filter(([, { isRunning }]) => isRunning).map(([id]) => id),
      )
      const replays = await readOf([...known.keys()], running)
      const changed = replays.filter((one) => {
        return known.get(one.teamId)?.get(one.id)?.text !== textOf(one)
      })
      const byTeam = Map.groupBy(replays, ({ teamId }) => teamId)
      for (const teamId of known.keys()) known.set(teamId, progressOf(byTeam.get(teamId) ?? []))
      return changed
    },
    forget: (teamId) => void known.delete(teamId),
  }
}

function progressOf(replays: readonly Replay[]): Progress {
  return new Map(
    replays.map((one) => [one.id, { text: textOf(one), isRunning: one.state === 'running' }]),
  )
}

function textOf({ state, nextBlock, error }: Replay): string {
  return `${state} ${nextBlock} ${error}`
}
