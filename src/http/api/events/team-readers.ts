import type { Tier } from '../../../core/billing/plan.ts'
import type { World } from '../../../ports/world.ts'
import { findTeam } from '../../../tables/accounts/teams.ts'
import { type Replay, watchedReplays } from '../../../tables/webhooks/replays.ts'
import { webhookStatesSince } from '../../../tables/webhooks/webhook-states.ts'
import { webhookRevision } from '../../../tables/webhooks/webhooks.ts'
import type { WireEvents } from '../../contract/contract.ts'
import { openPastUsage, usageSummary } from '../figures/usage-summary.ts'
import { wireReplay } from '../webhooks/wire-delivery.ts'
import { gapEvent, type LiveEvent } from './live-event.ts'

const WEBHOOKS_MAX = 500

/** A replay that started and ended since the last time is found for this long. */
const NEW_REPLAY_MS = 60_000

/** The usage of a busy team changes all the time. */
const USAGE_MS = 5_000

/** Reads which webhooks of a team were changed since the last time. */
export function openWebhookReader({ database }: World, teamId: string): () => Promise<LiveEvent[]> {
  let revision: number | null = null
  return async () => {
    if (revision === null) {
      revision = await webhookRevision(database)
      return []
    }
    const changed = await webhookStatesSince(database, teamId, revision, WEBHOOKS_MAX)
    revision = changed.at(-1)?.revision ?? revision
    const events = changed.map(({ id, state, reason }): LiveEvent => {
      const is_active = state === 'active'
      const data: WireEvents['webhook'] = { id, state, is_active, deactivation_reason: reason }
      return { topic: 'webhooks', name: 'webhook', data: JSON.stringify(data) }
    })
    return changed.length < WEBHOOKS_MAX ? events : [...events, gapEvent('webhooks')]
  }
}

/** Reads which replays of a team got on or ended since the last time. */
export function openReplayReader(
  { clock, database }: World,
  teamId: string,
  passed: (blocks: { webhookId: string; fromBlock: number; toBlock: number }) => void,
): () => Promise<LiveEvent[]> {
  let known: ReadonlyMap<string, Replay> | null = null
  return async () => {
    const before = known
    const running = [...(before?.values() ?? [])].filter(({ state }) => state === 'running')
    const replays = await watchedReplays(database, teamId, {
      sinceMs: clock.nowMs() - NEW_REPLAY_MS,
      ids: running.map(({ id }) => id),
    })
    known = new Map(replays.map((one) => [one.id, one]))
    if (before === null) return []
    return replays.flatMap((replay) => {
      const last = before.get(replay.id)
      if (last && progressOf(last) === progressOf(replay)) return []
      const { webhookId, fromBlock, nextBlock: toBlock } = replay
      passed({ webhookId, fromBlock: last?.nextBlock ?? fromBlock, toBlock })
      return [{ topic: 'replays', name: 'replay', data: JSON.stringify(wireReplay(replay)) }]
    })
  }
}

function progressOf({ state, nextBlock, error }: Replay): string {
  return `${state} ${nextBlock} ${error}`
}

/** Reads what a team has used, when it is wanted. */
export function openUsageReader(
  world: World,
  teamId: string,
  tiers: ReadonlyMap<string, Tier>,
  isWanted: () => boolean,
): () => Promise<LiveEvent[]> {
  const { clock, database } = world
  const past = openPastUsage(database, teamId)
  let readMs = -USAGE_MS
  let last = ''
  return async () => {
    if (!isWanted() || clock.monotonicMs() - readMs < USAGE_MS) return []
    const team = await findTeam(database, teamId)
    if (!team) return []
    const data = JSON.stringify(await usageSummary(world, tiers, team, past))
    readMs = clock.monotonicMs()
    if (data === last) return []
    last = data
    return [{ topic: 'usage', name: 'usage', kept: 'usage', data }]
  }
}
