import type { Tier } from '../../../core/billing/plan.ts'
import { errorText } from '../../../core/errors.ts'
import type { World } from '../../../ports/world.ts'
import { findTeam } from '../../../tables/accounts/teams.ts'
import type { DeliveryKey } from '../../../tables/deliveries/delivery.ts'
import { readRevision } from '../../../tables/sql/revisions.ts'
import { type Replay, watchedReplays } from '../../../tables/webhooks/replays.ts'
import { webhookStatesSince } from '../../../tables/webhooks/webhook-states.ts'
import type { NetworkService } from '../../../upstream/answers/ask-network.ts'
import type { EventTopic, WireEvents } from '../../contract/contract.ts'
import { openPastUsage, usageSummary } from '../figures/usage-summary.ts'
import { wireReplay } from '../webhooks/wire-delivery.ts'
import { openDeliveryReader } from './delivery-reader.ts'
import { openHeadReader } from './head-reader.ts'
import { gapEvent, type LiveEvent, textOf } from './live-event.ts'

export type FeedStream = {
  topics: ReadonlySet<EventTopic>
  /** The only webhook whose deliveries it wants. */
  webhookId: string | null
  send(text: string): void
}

export type FeedOptions = {
  tiers: ReadonlyMap<string, Tier>
  services(): readonly NetworkService[]
}

export type TeamFeed = ReturnType<typeof openTeamFeed>

/** Without a hint, and right after something was found. */
const READ_EVERY_MS = 1_000
const BUSY_EVERY_MS = 250

/** Hints of the same moment are followed together. */
const GATHER_MS = 100

/** A feed rests this many times longer than it reads, so that many feeds leave the store room. */
const REST = 4

/** Reads what changed for a team, once for all of its streams in this process. */
export function openTeamFeed(world: World, teamId: string, options: FeedOptions) {
  const { clock } = world
  const streams = new Set<FeedStream>()
  const kept = new Map<string, LiveEvent>()
  const isWanted = () => [...streams].some(({ topics }) => topics.has('usage'))
  const deliveries = openDeliveryReader(world, teamId)
  const readers = [
    openHeadReader(world, options.services),
    openWebhookReader(world, teamId),
    openReplayReader(world, teamId, deliveries.replayed),
    deliveries.read,
    openUsageReader(world, teamId, options.tiers, isWanted),
  ]
  const push = (event: LiveEvent) => {
    if (event.kept !== undefined) kept.set(event.kept, event)
    const text = textOf(event, clock.nowMs())
    for (const stream of streams) if (isFor(stream, event)) stream.send(text)
  }
  const read = async () => {
    let found = 0
    for (const next of readers) {
      const events = await next()
      events.forEach(push)
      found += events.length
    }
    return found > 0
  }
  const loop = pacedLoop(world, read)

  return {
    /** Resolves when the feed notices every change from now on. */
    opened: read().then(loop.start),
    /** Sends the stream the current state, then every change. */
    add(stream: FeedStream) {
      streams.add(stream)
      for (const event of kept.values()) {
        if (isFor(stream, event)) stream.send(textOf(event, clock.nowMs()))
      }
    },
    remove: (stream: FeedStream) => void streams.delete(stream),
    hint: loop.hint,
    resent(key: DeliveryKey) {
      deliveries.resent(key)
      loop.hint()
    },
    stop: loop.stop,
  }
}

/** Works about once a second, sooner after a hint or when the last time found something. */
function pacedLoop({ clock, telemetry }: World, work: () => Promise<boolean>) {
  let state: 'idle' | 'resting' | 'working' = 'idle'
  let isHinted = false
  let isFailing = false
  let restUntilMs = 0
  let unschedule = () => {}

  const schedule = (delayMs: number) => {
    if (state === 'idle') return
    unschedule()
    const restMs = restUntilMs - clock.monotonicMs()
    unschedule = clock.after(Math.max(delayMs, restMs), () => void turn())
  }
  const turn = async () => {
    state = 'working'
    isHinted = false
    const startedMs = clock.monotonicMs()
    let isBusy = false
    try {
      isBusy = await work()
      isFailing = false
    } catch (thrown) {
      if (!isFailing) telemetry.log('warn', 'events_not_read', { error: errorText(thrown) })
      isFailing = true
    }
    const endedMs = clock.monotonicMs()
    restUntilMs = endedMs + REST * (endedMs - startedMs)
    if (state === 'working') state = 'resting'
    schedule(isHinted ? GATHER_MS : isBusy ? BUSY_EVERY_MS : READ_EVERY_MS)
  }

  return {
    start() {
      state = 'resting'
      schedule(isHinted ? GATHER_MS : READ_EVERY_MS)
    },
    hint() {
      if (state === 'resting' && !isHinted) schedule(GATHER_MS)
      isHinted = true
    },
    stop() {
      state = 'idle'
      unschedule()
    },
  }
}

function isFor({ topics, webhookId }: FeedStream, event: LiveEvent): boolean {
  if (!topics.has(event.topic)) return false
  return webhookId === null || event.webhookId === undefined || event.webhookId === webhookId
}

const WEBHOOKS_MAX = 500

/** A replay that started and ended since the last time is found for this long. */
const NEW_REPLAY_MS = 60_000

/** The usage of a busy team changes all the time. */
const USAGE_MS = 5_000

function openWebhookReader({ database }: World, teamId: string): () => Promise<LiveEvent[]> {
  let revision: number | null = null
  return async () => {
    if (revision === null) {
      revision = await readRevision(database, 'webhooks')
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

function openReplayReader(
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

function openUsageReader(
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
