import { coalesced } from '../../core/async/coalesced.ts'
import { openWakeableSleep } from '../../core/async/wakeable-sleep.ts'
import { monthOf, type Tier } from '../../core/billing/plan.ts'
import { backlogLevel, isFull } from '../../core/delivery/backlog.ts'
import { capacityMessage } from '../../core/delivery/envelope.ts'
import type { World } from '../../ports/world.ts'
import type { RecordedEvent } from '../../tables/chain/chain-events.ts'
import { setDraining, unusualBacklogs } from '../../tables/deliveries/team-backlogs.ts'
import { pauseTeamOverLimit, teamsOverLimit } from '../../tables/usage/capacity-pause.ts'
import { pauseFullBacklog } from '../../tables/webhooks/standing-rules.ts'

type Options = {
  tiers: ReadonlyMap<string, Tier>
  publicUrl: string
  /** Told of the webhooks that were paused; each has an error to send. */
  paused(webhooks: readonly number[]): void
  failed(thrown: unknown): void
}

/** The least time between two looks: groups of outcomes are committed more often than that. */
const LOOKS_APART_MS = 50

/** Results of one event that may fill a backlog before the next look at all of them. */
const LARGE_EVENT_BYTES = 2 ** 20

/** More than that, and a look at all of them is as good. */
const TEAMS_LOOKED_AT_MAX = 1000

/**
 * A large block takes a while to be sent. Whoever is above the limit for longer than its first
 * attempts take has destinations that do not accept it; who is far above it is paused at once.
 */
const ABOVE_MS_MAX = 10_000

const PAUSES = {
  capacity: { log: 'capacity_pause', metric: 'headgate_capacity_pauses_total' },
  backlog: { log: 'backlog_pause', metric: 'headgate_backlog_pauses_total' },
} as const

/** Pauses the webhooks of teams that have used up their month, or have too much undelivered. */
export function openTeamPauses(world: World, options: Options) {
  let teamIds = new Set<string>()
  let isForAll = false
  let isForBacklogs = false
  let isStopped = false
  /** Since when teams have been above their limits without a break. */
  let above: ReadonlyMap<string, number> = new Map()
  const spacing = openWakeableSleep(world.clock)

  const look = coalesced(async () => {
    const some = isForAll || teamIds.size > TEAMS_LOOKED_AT_MAX ? null : [...teamIds]
    const withBacklogs = isForAll || isForBacklogs
    isForAll = false
    isForBacklogs = false
    teamIds = new Set()
    if (!isStopped) await pauseUsedUp(world, options, some)
    if (!isStopped && withBacklogs) above = await pauseFull(world, options, above)
    await spacing.pause(LOOKS_APART_MS)
  }, options.failed)

  return {
    checkUsage(ids: ReadonlySet<string>): void {
      for (const id of ids) teamIds.add(id)
      look.ask()
    },
    /** Looks at what teams have undelivered, if an event adds much to it. */
    checkBacklogs({ deliveries }: RecordedEvent): void {
      let bytes = 0
      for (const { dataBytes } of deliveries) bytes += dataBytes
      if (bytes <= LARGE_EVENT_BYTES) return
      isForBacklogs = true
      look.ask()
    },
    /** Looks at all teams with active webhooks: calls use up the month too. */
    checkAll(): void {
      isForAll = true
      look.ask()
    },
    async stop(): Promise<void> {
      isStopped = true
      spacing.close()
      await look.idle()
    },
  }
}

async function pauseUsedUp(
  world: World,
  options: Options,
  among: readonly string[] | null,
): Promise<void> {
  const { clock, database } = world
  const { tiers, publicUrl } = options
  const nowMs = clock.nowMs()
  const message = capacityMessage(publicUrl)
  for (const teamId of await teamsOverLimit(database, monthOf(nowMs), tiers, among)) {
    const paused = await pauseTeamOverLimit(database, { teamId, message, nowMs, tiers })
    tell(world, options, 'capacity', teamId, paused)
  }
}

/** The teams that are above their limits, and since when. */
async function pauseFull(
  world: World,
  options: Options,
  before: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, number>> {
  const { clock, database } = world
  const { tiers, publicUrl } = options
  const above = new Map<string, number>()
  for (const backlog of await unusualBacklogs(database, tiers)) {
    const { teamId, limitBytes } = backlog
    const level = backlogLevel(backlog, limitBytes)
    if (level === 'within') await setDraining(database, teamId, false)
    if (!isFull(backlog, limitBytes)) continue
    const sinceMs = before.get(teamId) ?? clock.monotonicMs()
    const isLate = clock.monotonicMs() - sinceMs >= ABOVE_MS_MAX
    if (isLate || level === 'far_above') {
      const rules = { tiers, publicUrl, nowMs: clock.nowMs() }
      tell(world, options, 'backlog', teamId, await pauseFullBacklog(database, teamId, rules))
    } else above.set(teamId, sinceMs)
  }
  return above
}

function tell(
  { telemetry, signals }: World,
  { paused }: Options,
  why: keyof typeof PAUSES,
  teamId: string,
  webhooks: readonly number[],
): void {
  if (webhooks.length === 0) return
  const { log, metric } = PAUSES[why]
  telemetry.log('warn', log, { team: teamId, webhooks: webhooks.length })
  telemetry.count(metric, {})
  paused(webhooks)
  signals.publish('webhooks', '')
}
