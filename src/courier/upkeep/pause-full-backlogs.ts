import type { Tier } from '../../core/billing/plan.ts'
import { backlogLevel, isFull } from '../../core/delivery/backlog.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Database } from '../../ports/database.ts'
import type { Signals } from '../../ports/signals.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import {
  setDraining,
  type UnusualBacklog,
  unusualBacklogs,
} from '../../tables/usage/team-backlogs.ts'
import { pauseFullBacklog } from '../../tables/webhooks/standing-rules.ts'

type Needs = {
  clock: Clock
  database: Database
  signals: Signals
  telemetry: Telemetry
  tiers: ReadonlyMap<string, Tier>
  publicUrl: string
  /** Told of the webhooks that were paused; each has an error to send. */
  paused(webhookIds: readonly string[]): void
}

/** Pauses the webhooks of teams that have more undelivered than their tiers allow. */
export type BacklogWatch = { look(): Promise<void> }

/**
 * A large block takes a while to be sent. Whoever is above the limit for longer than its first
 * attempts take has destinations that do not accept it; who is far above it is paused at once.
 */
const ABOVE_MS_MAX = 10_000

export function openBacklogWatch(needs: Needs): BacklogWatch {
  const { clock, database } = needs
  /** Since when teams have been above their limits without a break. */
  let above = new Map<string, number>()

  return {
    async look() {
      const before = above
      above = new Map()
      for (const backlog of await unusualBacklogs(database, needs.tiers)) {
        const { teamId, limitBytes, bytes } = backlog
        const level = backlogLevel({ bytes }, limitBytes)
        if (level === 'within') {
          await setDraining(database, teamId, false)
          continue
        }
        if (!isFull(backlog, limitBytes)) continue
        const sinceMs = before.get(teamId) ?? clock.monotonicMs()
        const isLate = clock.monotonicMs() - sinceMs >= ABOVE_MS_MAX
        if (isLate || level === 'far_above') await pause(needs, backlog)
        else above.set(teamId, sinceMs)
      }
    },
  }
}

async function pause(needs: Needs, { teamId }: UnusualBacklog): Promise<void> {
  const { clock, database, signals, telemetry, tiers, publicUrl } = needs
  const rules = { tiers, publicUrl, nowMs: clock.nowMs() }
  const webhookIds = await pauseFullBacklog(database, teamId, rules)
  if (webhookIds.length === 0) return
  telemetry.log('warn', 'backlog_pause', { team: teamId, webhooks: webhookIds.length })
  telemetry.count('headgate_backlog_pauses_total', {})
  needs.paused(webhookIds)
  signals.publish('webhooks', '')
}
