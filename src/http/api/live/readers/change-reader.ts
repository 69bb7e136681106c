import { type WebhookState, webhookStatesSince } from '../../../../tables/live/webhook-states.ts'
import { webhookRevision } from '../../../../tables/webhooks/webhooks.ts'
import type { SummaryNeeds } from '../../figures/usage-summary.ts'
import type { TeamChannel } from '../team-channel.ts'
import { openDeliveryReader } from './delivery-reader.ts'
import { type HeadReaderNeeds, openHeadReader } from './head-reader.ts'
import type { LiveEvent } from './live-events.ts'
import * as events from './live-events.ts'
import { openReplayReader } from './replay-reader.ts'
import { openUsageReader } from './usage-reader.ts'

export type ReaderNeeds = SummaryNeeds & HeadReaderNeeds

type Channels = ReadonlyMap<string, TeamChannel>

type Push = (channel: TeamChannel | undefined, event: LiveEvent) => void

/** Reads what changed, once for all streams of this process, and pushes it to the teams. */
export type ChangeReader = {
  /** The present is known; what changes from here on is pushed. */
  open(): Promise<void>
  /** A team begins to hear: how its replays are now is no news. */
  begin(teamId: string): Promise<void>
  /** How much was pushed, heads apart: these come all the time. */
  read(channels: Channels): Promise<number>
  /** Something of the team's deliveries was missed. */
  miss(teamId: string): void
  /** How things are that are not fetched otherwise by who begins to listen. */
  present(teamId: string): LiveEvent[]
  forget(teamId: string): void
}

const WEBHOOKS_MAX = 500

/** A team with more deliveries than a stream tells fetches them anew, but not all the time. */
const GAP_MS = 5_000

export function openChangeReader(needs: ReaderNeeds): ChangeReader {
  let pushed = 0
  const push: Push = (channel, event) => {
    if (!channel?.hears(event.topic)) return
    channel.push(event)
    if (event.topic !== 'heads') pushed += 1
  }
  const heads = openHeadReader(needs)
  const webhooks = webhookPusher(needs, push)
  const deliveries = deliveryPusher(needs, push)
  const replays = openReplayReader(needs)
  const usage = openUsageReader(needs)

  const readHeads = async (channels: Channels) => {
    const found = await heads.read()
    const told = (found ?? heads.present()).map(events.headEvent)
    for (const channel of channels.values()) {
      if (found === null) push(channel, events.gapEvent('heads'))
      for (const event of told) push(channel, event)
    }
  }

  return {
    async open() {
      await deliveries.open()
      await heads.read()
      await webhooks.open()
    },
    begin: replays.begin,
    async read(channels) {
      pushed = 0
      await readHeads(channels)
      const deleted = await webhooks.read(channels)
      await deliveries.read(channels, deleted)
      for (const replay of await replays.read()) {
        push(channels.get(replay.teamId), events.replayEvent(replay))
      }
      for (const { teamId, data } of await usage.read(channels)) {
        push(channels.get(teamId), events.usageEvent(data))
      }
      return pushed
    },
    miss: deliveries.miss,
    present(teamId) {
      const used = usage.present(teamId)
      const all = heads.present().map(events.headEvent)
      return used === null ? all : [...all, events.usageEvent(used)]
    },
    forget(teamId) {
      for (const { forget } of [deliveries, replays, usage]) forget(teamId)
    },
  }
}

/** Pushes the webhooks that were changed, and tells which were deleted. */
function webhookPusher({ database }: ReaderNeeds, push: Push) {
  let revision = 0
  return {
    async open() {
      revision = await webhookRevision(database)
    },
    async read(channels: Channels): Promise<WebhookState[]> {
      const changed = await webhookStatesSince(database, revision, WEBHOOKS_MAX)
      for (const one of changed) push(channels.get(one.teamId), events.webhookEvent(one))
      // The rest is found the next time, except what the last revision changed beyond.
      revision = changed.at(-1)?.revision ?? revision
      if (changed.length === WEBHOOKS_MAX) {
        for (const channel of channels.values()) push(channel, events.gapEvent('webhooks'))
      }
      return changed.filter(({ state }) => state === 'deleted')
    },
  }
}

/** Pushes the deliveries that were created or changed, or that there were too many. */
function deliveryPusher(needs: ReaderNeeds, push: Push) {
  const reader = openDeliveryReader(needs)
  /** Teams that missed something, and when each was last told so. */
  const missing = new Set<string>()
  const toldMs = new Map<string, number>()
  /** Webhooks that were deleted, until that of their deliveries was told. */
  let untold: WebhookState[] = []

  const tellMissing = (channels: Channels) => {
    const nowMs = needs.clock.monotonicMs()
    for (const teamId of missing) {
      if (nowMs - (toldMs.get(teamId) ?? -GAP_MS) < GAP_MS) continue
      missing.delete(teamId)
      toldMs.set(teamId, nowMs)
      push(channels.get(teamId), events.gapEvent('deliveries'))
    }
  }

  return {
    open: reader.open,
    async read(channels: Channels, deleted: readonly WebhookState[]) {
      untold = [...untold, ...deleted].slice(-WEBHOOKS_MAX)
      const hearing = [...channels].filter(([, channel]) => channel.hears('deliveries'))
      const teamIds = hearing.map(([teamId]) => teamId)
      const read = await reader.read(teamIds, untold)
      untold = []
      for (const [teamId, found] of read) {
        if (found === null) missing.add(teamId)
        for (const one of found ?? []) push(channels.get(teamId), events.deliveryEvent(one))
      }
      tellMissing(channels)
    },
    miss: (teamId: string) => void missing.add(teamId),
    forget(teamId: string) {
      missing.delete(teamId)
      toldMs.delete(teamId)
    },
  }
}
