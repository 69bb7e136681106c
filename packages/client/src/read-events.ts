import { ApiError } from './api-error.ts'
import type { Events } from './generated/calls.ts'
import type { GapEvent } from './generated/schemas.ts'
import { eventParser, type RawEvent } from './parse-events.ts'
import { waitMs } from './wait-ms.ts'

/** An event of the stream: its name says which data it has. */
export type ClientEvent = {
  [Name in keyof Events]: { name: Name; id: string; data: Events[Name] }
}[keyof Events]

export type EventTopic = GapEvent['topics'][number]

export type EventsInput = {
  /** All of them where none is given. */
  topics?: readonly EventTopic[]
  /** Of deliveries only those of this webhook. */
  webhookId?: string
  /** The id of the last event that came, to be sent what was missed since. */
  lastEventId?: string
  /** The stream is open, for the first time or again. */
  onOpen?(): void
  /** The stream is lost, and is opened again after a while. */
  onLost?(): void
  signal?: AbortSignal
}

/** Opens the stream after an event; the signal closes it. */
type Connect = (lastEventId: string, signal: AbortSignal) => Promise<Response>

/** Refusals that a later connection may not meet; 0 is nobody there. */
const PASSING: readonly number[] = [0, 429, 502, 503, 504]

const RETRY_MS = { first: 500, most: 15_000 }

/** Something comes every 15 seconds: after three times that, nobody is there any more. */
const SILENCE_MS_MAX = 45_000

/**
 * Events as they happen, until the loop over them is left or the signal is aborted. A connection
 * that is lost is made anew, after the last event that came. The first one has to succeed: a
 * wrong address or token is an error at once.
 */
export async function* readEvents(
  connect: Connect,
  input: EventsInput,
  readJson: (text: string) => unknown,
): AsyncGenerator<ClientEvent> {
  const { signal } = input
  let lastId = input.lastEventId ?? ''
  let retryMs = RETRY_MS.first
  let wasOpen = false
  while (!signal?.aborted) {
    const connection = new AbortController()
    const end = () => connection.abort(signal?.reason)
    signal?.addEventListener('abort', end, { once: true })
    try {
      const response = await connect(lastId, connection.signal)
      wasOpen = true
      input.onOpen?.()
      for await (const event of eventsOf(response, connection)) {
        retryMs = RETRY_MS.first
        if (event.id !== '') lastId = event.id
        yield { ...event, data: readJson(event.data) } as ClientEvent
      }
    } catch (thrown) {
      if (signal?.aborted) return
      if (!wasOpen || !isPassing(thrown)) throw thrown
    } finally {
      signal?.removeEventListener('abort', end)
      connection.abort()
    }
    if (signal?.aborted) return
    input.onLost?.()
    await waitMs(retryMs, signal).catch(() => {})
    retryMs = Math.min(retryMs * 2, RETRY_MS.most)
  }
}

async function* eventsOf(
  response: Response,
  connection: AbortController,
): AsyncGenerator<RawEvent> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  const parse = eventParser()
  while (reader) {
    const silence = setTimeout(() => connection.abort(), SILENCE_MS_MAX)
    const { done, value } = await reader.read().finally(() => clearTimeout(silence))
    if (done) return
    yield* parse(decoder.decode(value, { stream: true }))
  }
}

/** A refusal says whether it lasts; anything else thrown is a connection that broke. */
function isPassing(thrown: unknown): boolean {
  if (thrown instanceof SyntaxError) return false
  return !(thrown instanceof ApiError) || PASSING.includes(thrown.status)
}
