import { Rejection } from '../../../core/errors.ts'
import type { Telemetry } from '../../../ports/telemetry.ts'
import type { EventTopic, WireEvents } from '../../contract/contract.ts'
import { EVENT_TOPICS, TEAM_STREAMS_MAX } from '../../contract/live/events.ts'
import type { ClientConnection } from '../../edge/client-connection.ts'
import { type EventStream, openEventStream, type StreamEnd } from './event-stream.ts'
import { type HeldChannel, openReadingLoop, type ReadingNeeds } from './reading-loop.ts'
import { eventText, openTeamChannel, type StreamSubscriber } from './team-channel.ts'

export type LiveHubNeeds = ReadingNeeds & {
  telemetry: Pick<Telemetry, 'log' | 'count' | 'gauge'>
}

/** A client that wants to hear what changes. */
type StreamRequest = {
  teamId: string
  topics: ReadonlySet<EventTopic>
  webhookId: string | null
  /** The last event that it got. */
  lastEventId: string | null
  connection: ClientConnection
  /** False when its token or session was revoked. */
  isStillAllowed(): Promise<boolean>
}

/** The streams of events of this process. */
export type LiveHub = {
  open(asked: StreamRequest): Promise<Response | Rejection>
  /** Something may have changed. */
  hint(): void
  /** Ends all streams at once, and opens no more; resolves when that is noted. */
  stop(): Promise<void>
}

type OpenStream = { asked: StreamRequest; stream: EventStream; channel: HeldChannel }

/** At the most these hold some hundred MB of what clients do not read. */
const STREAMS_MAX = 300
const AGAIN_S = 10

/** Teams that have streams, or had some a moment ago. */
const CHANNELS_MAX = 500

const HEARTBEAT_MS = 15_000
const RECHECK_MS = 5_000

/** Clients wait so long before they connect again. */
const RETRY_MS = 2_000

/** One reader for all streams; without streams nothing is read. */
export function openLiveHub(needs: LiveHubNeeds): LiveHub {
  const { clock, telemetry } = needs
  const streams = new Set<OpenStream>()
  const channels = new Map<string, HeldChannel>()
  const reading = openReadingLoop(needs, channels)
  const stopTimers = watchStreams(needs, streams)
  let isStopped = false

  const channelOf = (teamId: string): HeldChannel => {
    const known = channels.get(teamId)
    const channel = known ?? { ...openTeamChannel(needs.entropy.alphanumeric(12)), emptyAtMs: null }
    channel.emptyAtMs = clock.monotonicMs()
    channels.set(teamId, channel)
    return channel
  }

  const begin = (asked: StreamRequest, channel: HeldChannel): Response => {
    const { topics, webhookId } = asked
    const leave = (reason: StreamEnd) => {
      streams.delete(open)
      channel.subscribers.delete(subscriber)
      if (channel.subscribers.size === 0) channel.emptyAtMs = clock.monotonicMs()
      telemetry.count('headgate_event_streams_ended_total', { reason })
    }
    const stream = openEventStream(asked.connection, leave)
    const open: OpenStream = { asked, stream, channel }
    const subscriber: StreamSubscriber = { topics, webhookId, send: stream.send }
    streams.add(open)
    channel.subscribers.add(subscriber)
    channel.emptyAtMs = null
    stream.send(`retry: ${RETRY_MS}\n\n`)
    tellPresent(asked, subscriber, channel, reading.present(asked.teamId))
    return stream.response
  }

  return {
    async open(asked) {
      const { teamId } = asked
      const refused = isStopped ? stopping() : tooMany(teamId, streams, channels)
      if (refused) return refused

      const channel = channelOf(teamId)
      await reading.begin(teamId, channel, asked.topics).catch((thrown: unknown) => {
        // Nothing was begun that would have to be ended.
        if (!EVENT_TOPICS.some(channel.hears)) channels.delete(teamId)
        throw thrown
      })
      // Others may have come meanwhile, or the end.
      const late = isStopped ? stopping() : tooMany(teamId, streams, channels)
      return late ?? begin(asked, channel)
    },
    hint: reading.hint,
    stop() {
      isStopped = true
      stopTimers()
      for (const { stream } of [...streams]) stream.end('stopped')
      return reading.stop()
    },
  }
}

/** Sends what the client missed, or that this cannot be told, and how things are now. */
function tellPresent(
  { topics, lastEventId }: StreamRequest,
  subscriber: StreamSubscriber,
  channel: HeldChannel,
  present: ReturnType<ReturnType<typeof openReadingLoop>['present']>,
): void {
  const untold = lastEventId === null ? null : channel.resume(subscriber, lastEventId)
  if (untold && untold.length > 0) {
    const gap: WireEvents['gap'] = { topics: untold, reason: 'too_old' }
    subscriber.send(eventText('gap', channel.lastId(), JSON.stringify(gap)))
  }
  for (const { topic, name, data } of present) {
    const isNews = untold === null || untold.includes(topic)
    if (isNews && topics.has(topic)) subscriber.send(eventText(name, channel.lastId(), data))
  }
}

/** Keeps quiet connections alive, and ends those whose token or session was revoked. */
function watchStreams(
  { clock, telemetry }: LiveHubNeeds,
  streams: ReadonlySet<OpenStream>,
): () => void {
  let isChecking = false
  const recheck = async () => {
    if (isChecking) return
    isChecking = true
    for (const { asked, stream } of [...streams]) {
      // A store that is away revokes nothing.
      const isAllowed = await asked.isStillAllowed().catch(() => true)
      if (!isAllowed) stream.end('revoked')
    }
    isChecking = false
  }
  // With the last id, so that who heard nothing for long can still be told what is missing.
  const beat = () => {
    for (const { channel, stream } of [...streams]) stream.send(`:\nid: ${channel.lastId()}\n\n`)
  }
  const ends = [
    telemetry.gauge('headgate_event_streams', {}, () => streams.size),
    clock.every(HEARTBEAT_MS, beat),
    clock.every(RECHECK_MS, () => void recheck()),
  ]
  return () => ends.forEach((end) => void end())
}

function tooMany(
  teamId: string,
  streams: ReadonlySet<OpenStream>,
  channels: ReadonlyMap<string, unknown>,
): Rejection | null {
  const ours = [...streams].filter(({ asked }) => asked.teamId === teamId).length
  if (ours >= TEAM_STREAMS_MAX) {
    return refusal(`A team may have ${TEAM_STREAMS_MAX} streams of events open.`)
  }
  const isFull = !channels.has(teamId) && channels.size >= CHANNELS_MAX
  if (streams.size < STREAMS_MAX && !isFull) return null
  return refusal('Too many streams of events are open; try again later.')
}

function refusal(text: string): Rejection {
  return new Rejection('too_many_requests', text, { retryAfterS: AGAIN_S })
}

function stopping(): Rejection {
  return new Rejection('overloaded', 'The service is being stopped; please try again.')
}
