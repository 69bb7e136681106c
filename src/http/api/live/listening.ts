import type { Clock } from '../../../ports/clock.ts'
import type { Database } from '../../../ports/database.ts'
import { forgetChanges } from '../../../tables/live/delivery-changes.ts'
import {
  forgetListeners,
  listenTo,
  remindCouriers,
  stopListening,
} from '../../../tables/live/listeners.ts'

type Needs = { clock: Clock; database: Database }

/** Has couriers note what changes of the deliveries of some teams, in whichever process. */
export type Listening = {
  /** From here on nothing of the team is missed. */
  add(teamId: string): Promise<void>
  remove(teamId: string): Promise<void>
  /** Renews what is due; the teams of which something may have been missed. */
  keepUp(): Promise<readonly string[]>
  stop(): Promise<void>
}

/** A process that was killed is listened for no longer. */
const LISTEN_MS = 60_000
const RENEW_MS = 20_000

const REMIND_MS = 5_000
const FORGET_MS = 10_000

export function openListening({ clock, database }: Needs, holder: string): Listening {
  const teams = new Set<string>()
  let renewedMs = 0
  let remindedMs = 0
  let forgotMs = 0

  const untilMs = () => clock.nowMs() + LISTEN_MS

  return {
    async add(teamId) {
      if (teams.size === 0) renewedMs = clock.monotonicMs()
      await listenTo(database, holder, [teamId], untilMs())
      teams.add(teamId)
    },
    async remove(teamId) {
      if (teams.delete(teamId)) await stopListening(database, holder, teamId)
    },
    async keepUp() {
      const nowMs = clock.monotonicMs()
      if (teams.size === 0) return []
      if (nowMs - forgotMs >= FORGET_MS) {
        forgotMs = nowMs
        await forgetChanges(database, clock.nowMs() - LISTEN_MS)
        await forgetListeners(database, clock.nowMs() - LISTEN_MS)
      }
      if (nowMs - renewedMs >= RENEW_MS) {
        const hasLapsed = nowMs - renewedMs >= LISTEN_MS
        await listenTo(database, holder, [...teams], untilMs())
        renewedMs = nowMs
        return hasLapsed ? [...teams] : []
      }
      if (nowMs - remindedMs >= REMIND_MS) {
        remindedMs = nowMs
        await remindCouriers(database, clock.nowMs(), untilMs())
      }
      return []
    },
    async stop() {
      if (teams.size === 0) return
      teams.clear()
      await stopListening(database, holder)
    },
  }
}
