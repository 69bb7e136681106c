import type { Tier } from '../../../core/billing/plan.ts'
import { errorText } from '../../../core/errors.ts'
import type { World } from '../../../ports/world.ts'
import type { DeliveryKey } from '../../../tables/deliveries/delivery.ts'
import type { NetworkService } from '../../../upstream/answers/ask-network.ts'
import type { EventTopic } from '../../contract/contract.ts'
import { openDeliveryReader } from './delivery-reader.ts'
import { openHeadReader } from './head-reader.ts'
import { type LiveEvent, textOf } from './live-event.ts'
import { openReplayReader, openUsageReader, openWebhookReader } from './team-readers.ts'

/** One stream of a team. */
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

/** Reads what changed for a team, once for all of its streams in this process. */
export type TeamFeed = {
  readonly streams: ReadonlySet<FeedStream>
  /** Resolves when everything that changes from now on is noticed. */
  opened: Promise<void>
  /** The stream gets what changes, after how things are now. */
  add(stream: FeedStream): void
  remove(stream: FeedStream): void
  /** Something may have changed. */
  hint(): void
  /** A delivery is sent again. */
  resent(key: DeliveryKey): void
  stop(): void
}

/** Without a hint, and right after something was found. */
const READ_EVERY_MS = 1_000
const BUSY_EVERY_MS = 250

/** Hints of the same moment are followed together. */
const GATHER_MS = 100

/** A feed rests this many times longer than it reads, so that many feeds leave the store room. */
const REST = 4

export function openTeamFeed(world: World, teamId: string, options: FeedOptions): TeamFeed {
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
    streams,
    opened: read().then(loop.start),
    add(stream) {
      streams.add(stream)
      for (const event of kept.values()) {
        if (isFor(stream, event)) stream.send(textOf(event, clock.nowMs()))
      }
    },
    remove: (stream) => void streams.delete(stream),
    hint: loop.hint,
    resent(key) {
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
