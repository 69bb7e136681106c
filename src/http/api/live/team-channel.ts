import type { EventTopic, WireEvents } from '../../contract/contract.ts'
import type { LiveEvent } from './readers/live-events.ts'

/** One stream of a team. */
export type StreamSubscriber = {
  topics: ReadonlySet<EventTopic>
  /** The only webhook whose deliveries it wants. */
  webhookId: string | null
  send(text: string): void
}

/** The events of a team, the last of which are kept for clients that come back. */
export type TeamChannel = {
  readonly subscribers: Set<StreamSubscriber>
  hears(topic: EventTopic): boolean
  /** From here on events of these topics are pushed. */
  hear(topics: Iterable<EventTopic>): void
  push(event: LiveEvent): void
  /** The id of the last event. */
  lastId(): string
  /** Sends what came after that event, and tells of which topics that cannot be said. */
  resume(subscriber: StreamSubscriber, lastEventId: string): EventTopic[]
}

type Kept = LiveEvent & { number: number; text: string }

/** For a client that is away for a moment; whoever is away for longer fetches anew. */
const KEPT_EVENTS_MAX = 2_000
const KEPT_CHARS_MAX = 256 * 1024

const EVENT_ID = /^([a-z0-9]{1,32})\.(\d{1,15})$/

/** The ids of its events begin with `epoch`, which no other channel has. */
export function openTeamChannel(epoch: string): TeamChannel {
  const subscribers = new Set<StreamSubscriber>()
  /** Events of a topic are kept from those after this number on. */
  const heardAfter = new Map<EventTopic, number>()
  const kept: Kept[] = []
  let keptChars = 0
  let last = 0
  /** The last event that is not kept any more. */
  let dropped = 0

  const keep = (event: Kept) => {
    kept.push(event)
    keptChars += event.text.length
    while (kept.length > KEPT_EVENTS_MAX || keptChars > KEPT_CHARS_MAX) {
      const gone = kept.shift()
      keptChars -= gone?.text.length ?? 0
      dropped = gone?.number ?? dropped
    }
  }

  /** The number of an event of this channel of which all that follow are kept. */
  const numberOf = (id: string): number | null => {
    const [, from, digits] = EVENT_ID.exec(id) ?? []
    const number = Number(digits)
    return from === epoch && number >= dropped && number <= last ? number : null
  }

  return {
    subscribers,
    hears: (topic) => heardAfter.has(topic),
    hear(topics) {
      for (const topic of topics) if (!heardAfter.has(topic)) heardAfter.set(topic, last)
    },
    push(event) {
      last += 1
      const text = eventText(event.name, `${epoch}.${last}`, event.data)
      keep({ ...event, number: last, text })
      for (const subscriber of subscribers) if (isFor(subscriber, event)) subscriber.send(text)
    },
    lastId: () => `${epoch}.${last}`,
    resume(subscriber, lastEventId) {
      const number = numberOf(lastEventId)
      const untold = [...subscriber.topics].filter((topic) => {
        return number === null || (heardAfter.get(topic) ?? last) > number
      })
      if (number === null) return untold
      for (const event of kept) {
        const isMissed = event.number > number && !untold.includes(event.topic)
        if (isMissed && isFor(subscriber, event)) subscriber.send(event.text)
      }
      return untold
    },
  }
}

/** An event of a stream; its data is JSON, which has no line breaks. */
export function eventText(name: keyof WireEvents, id: string, data: string): string {
  return `event: ${name}\nid: ${id}\ndata: ${data}\n\n`
}

function isFor({ topics, webhookId }: StreamSubscriber, event: LiveEvent): boolean {
  if (!topics.has(event.topic)) return false
  return webhookId === null || event.webhookId === null || event.webhookId === webhookId
}
