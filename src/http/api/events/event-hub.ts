import { Rejection } from '../../../core/errors.ts'
import type { World } from '../../../ports/world.ts'
import type { EventTopic, WireEvents } from '../../contract/contract.ts'
import { TEAM_STREAMS_MAX } from '../../contract/events.ts'
import type { StreamClient } from '../../edge/client.ts'
import { type EventStream, openEventStream, type StreamEnd } from './event-stream.ts'
import { textOf } from './live-event.ts'
import { type FeedOptions, type FeedStream, openTeamFeed, type TeamFeed } from './team-feed.ts'

type StreamRequest = {
  teamId: string
  topics: ReadonlySet<EventTopic>
  webhookId: string | null
  lastEventId: string | null
  client: StreamClient
  isStillAllowed(): Promise<boolean>
}

export type EventHub = ReturnType<typeof openEventHub>

/** A team's feed, for as long as it has streams or one is being opened. */
type HeldFeed = TeamFeed & { holders: number }

/** Signals with this topic name a team, and a delivery of it that is sent again. */
export const RESENT_TOPIC = 'resent'

/** Events with deliveries, and changes of webhooks, are hinted at in all processes. */
const HINTED_TOPICS = ['deliveries', 'webhooks']

/** At most, these hold a hundred megabytes that clients have not read. */
const STREAMS_MAX = 300
const RETRY_AFTER_S = 10

const HEARTBEAT_MS = 15_000
const RECHECK_MS = 5_000

/** Clients wait this long before they connect again. */
const RETRY_MS = 2_000

/** One feed for each team that has streams; without streams, nothing is read. */
export function openEventHub(world: World, options: FeedOptions) {
  const { signals, telemetry } = world
  const feeds = new Map<string, HeldFeed>()
  const streams = new Map<EventStream, StreamRequest>()
  let isStopped = false

  const hold = (teamId: string): HeldFeed => {
    const feed = feeds.get(teamId) ?? { ...openTeamFeed(world, teamId, options), holders: 0 }
    feed.holders += 1
    feeds.set(teamId, feed)
    return feed
  }
  const release = (teamId: string, feed: HeldFeed) => {
    feed.holders -= 1
    if (feed.holders > 0) return
    feed.stop()
    feeds.delete(teamId)
  }
  const begin = (asked: StreamRequest, feed: HeldFeed): Response => {
    const { topics, webhookId, lastEventId } = asked
    const leave = (reason: StreamEnd) => {
      streams.delete(stream)
      feed.remove(subscriber)
      release(asked.teamId, feed)
      telemetry.count('headgate_event_streams_ended_total', { reason })
    }
    const stream = openEventStream(asked.client, leave)
    const subscriber: FeedStream = { topics, webhookId, send: stream.send }
    streams.set(stream, asked)
    stream.send(`retry: ${RETRY_MS}\n\n`)
    if (lastEventId !== null) stream.send(lostText(topics, world.clock.nowMs()))
    feed.add(subscriber)
    return stream.response
  }

  const hint = () => feeds.forEach((feed) => void feed.hint())
  const ends = [
    watchStreams(world, streams),
    ...HINTED_TOPICS.map((topic) => signals.subscribe(topic, hint)),
    signals.subscribe(RESENT_TOPIC, (text) => {
      const [teamId = '', event, webhook] = text.split(' ')
      feeds.get(teamId)?.resent({ event: Number(event), webhook: Number(webhook) })
    }),
  ]

  return {
    async open(asked: StreamRequest): Promise<Response | Rejection> {
      const { teamId } = asked
      const refused = isStopped ? stopping() : tooMany(teamId, feeds)
      if (refused) return refused

      const feed = hold(teamId)
      try {
        await feed.opened
      } catch (thrown) {
        release(teamId, feed)
        throw thrown
      }
      if (!isStopped) return begin(asked, feed)
      release(teamId, feed)
      return stopping()
    },
    hint,
    /** Ends all streams at once, and opens no more. */
    stop() {
      isStopped = true
      for (const end of ends) end()
      for (const stream of [...streams.keys()]) stream.end('stopped')
    },
  }
}

/** Past events are not kept, so the client has to fetch everything again. */
function lostText(topics: ReadonlySet<EventTopic>, nowMs: number): string {
  const gap: WireEvents['gap'] = { topics: [...topics], reason: 'too_old' }
  return textOf({ name: 'gap', data: JSON.stringify(gap) }, nowMs)
}

/** Keeps quiet connections alive, and ends those whose token or session was revoked. */
function watchStreams(
  { clock, telemetry }: World,
  streams: ReadonlyMap<EventStream, StreamRequest>,
): () => void {
  let isChecking = false
  const recheck = async () => {
    if (isChecking) return
    isChecking = true
    for (const [stream, asked] of [...streams]) {
      // A store that is away revokes nothing.
      const isAllowed = await asked.isStillAllowed().catch(() => true)
      if (!isAllowed) stream.end('revoked')
    }
    isChecking = false
  }
  const beat = () => [...streams.keys()].forEach((stream) => void stream.send(':\n\n'))
  const ends = [
    telemetry.gauge('headgate_event_streams', {}, () => streams.size),
    clock.every(HEARTBEAT_MS, beat),
    clock.every(RECHECK_MS, () => void recheck()),
  ]
  return () => ends.forEach((end) => void end())
}

function tooMany(teamId: string, feeds: ReadonlyMap<string, HeldFeed>): Rejection | null {
  if ((feeds.get(teamId)?.holders ?? 0) >= TEAM_STREAMS_MAX) {
    return refusal(`A team may have ${TEAM_STREAMS_MAX} streams of events open.`)
  }
  const all = feeds.values().reduce((sum, { holders }) => sum + holders, 0)
  return all < STREAMS_MAX ? null : refusal('Too many streams of events are open; try again later.')
}

function refusal(text: string): Rejection {
  return new Rejection('too_many_requests', text, { retryAfterS: RETRY_AFTER_S })
}

function stopping(): Rejection {
  return new Rejection('overloaded', 'The service is being stopped; please try again.')
}
