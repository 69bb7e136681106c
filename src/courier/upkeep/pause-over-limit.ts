import { monthOf, type Tier } from '../../core/billing/plan.ts'
import { capacityMessage } from '../../core/delivery/envelope.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Database } from '../../ports/database.ts'
import type { Signals } from '../../ports/signals.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { pauseTeamOverLimit, teamsOverLimit } from '../../tables/usage/capacity-pause.ts'
import { inTurn } from '../in-turn.ts'
import { openBacklogWatch } from './pause-full-backlogs.ts'

type Needs = {
  clock: Clock
  database: Database
  signals: Signals
  telemetry: Telemetry
  tiers: ReadonlyMap<string, Tier>
  publicUrl: string
  /** Told of the webhooks that were paused; each has an error to send. */
  paused(webhookIds: readonly string[]): void
  failed(thrown: unknown): void
}

/** Pauses the webhooks of teams that have used up their month, or have too much undelivered. */
export type CapacityWatch = {
  /** Looks at these teams soon: something was billed to them. */
  check(teamIds: ReadonlySet<string>): void
  /** Looks at all teams with active webhooks: calls use up the month too. */
  checkAll(): void
  /** Looks at what teams have undelivered: much was added to it. */
  checkBacklogs(): void
  stop(): Promise<void>
}

/** More than that, and a look at all of them is as good. */
const TEAMS_LOOKED_AT_MAX = 1000

export function openCapacityWatch(needs: Needs): CapacityWatch {
  let teamIds = new Set<string>()
  let isForAll = false
  let isForBacklogs = false
  let isStopped = false
  const backlogs = openBacklogWatch(needs)

  const look = inTurn(async () => {
    const some = isForAll || teamIds.size > TEAMS_LOOKED_AT_MAX ? null : [...teamIds]
    const withBacklogs = isForAll || isForBacklogs
    isForAll = false
    isForBacklogs = false
    teamIds = new Set()
    if (!isStopped) await pauseThoseOver(needs, some)
    if (!isStopped && withBacklogs) await backlogs.look()
  }, needs.failed)

  return {
    check(ids) {
      for (const id of ids) teamIds.add(id)
      look.ask()
    },
    checkAll() {
      isForAll = true
      look.ask()
    },
    checkBacklogs() {
      isForBacklogs = true
      look.ask()
    },
    async stop() {
      isStopped = true
      await look.rest()
    },
  }
}

async function pauseThoseOver(needs: Needs, among: readonly string[] | null): Promise<void> {
  const { clock, database, signals, telemetry, tiers } = needs
  const nowMs = clock.nowMs()
  const message = capacityMessage(needs.publicUrl)
  for (const teamId of await teamsOverLimit(database, monthOf(nowMs), tiers, among)) {
    const webhookIds = await pauseTeamOverLimit(database, { teamId, message, nowMs, tiers })
    if (webhookIds.length === 0) continue
    telemetry.log('warn', 'capacity_pause', { team: teamId, webhooks: webhookIds.length })
    telemetry.count('headgate_capacity_pauses_total', {})
    needs.paused(webhookIds)
    signals.publish('webhooks', '')
  }
}
