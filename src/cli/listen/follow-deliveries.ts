import { ApiError, type Client } from '@headgate/client'
import { openBackoff } from '../../core/async/backoff.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ListedDelivery } from './delivery-log.ts'

export type FollowNeeds = {
  client: Client
  clock: Clock
  /** The stream is open, for the first time or again: the log may have more. */
  opened(): void
  /** A delivery changed; null where too much did, and the log has to be read. */
  heard(delivery: ListedDelivery | null): void
  /** The stream is lost, and is tried again after a while. */
  lost(why: string, waitMs: number): void
}

const WAITS = { minMs: 500, maxMs: 10_000 }

/** A line comes every 15 seconds at least; a stream that is silent for longer is dead. */
const SILENCE_MS_MAX = 45_000

/** An event has the text of one delivery, or less. */
const EVENT_CHARS_MAX = 1024 * 1024

/** Follows the stream of events until `ended`, over every loss of it. */
export async function followDeliveries(needs: FollowNeeds, ended: AbortSignal): Promise<void> {
  const backoff = openBackoff(WAITS)
  let lastId: string | null = null
  while (!ended.aborted) {
    try {
      const stream = await openStream(needs, lastId, ended)
      backoff.reset()
      needs.opened()
      for await (const event of eventsIn(stream)) {
        lastId = event.id ?? lastId
        tell(needs, event)
      }
      if (ended.aborted) return
      await lostStream(needs, 'it ended', backoff.nextMs())
    } catch (thrown) {
      if (ended.aborted) return
      // A token that is not good any more does not become so by waiting.
      const status = thrown instanceof ApiError ? thrown.status : 0
      if (status === 401 || status === 403 || status === 404) throw thrown
      const asked = thrown instanceof ApiError ? thrown.retryAfterS * 1000 : 0
      await lostStream(needs, 'it broke', Math.max(asked, backoff.nextMs()))
    }
  }
}

async function lostStream({ clock, lost }: FollowNeeds, why: string, waitMs: number) {
  lost(why, waitMs)
  await clock.sleep(waitMs)
}

/** The texts of the stream; ends with an error when nothing comes for too long. */
async function* openedStream(
  { clock }: FollowNeeds,
  response: Response,
  abort: AbortController,
): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let cancel = clock.after(SILENCE_MS_MAX, () => abort.abort())
  try {
    for await (const chunk of response.body ?? []) {
      cancel()
      cancel = clock.after(SILENCE_MS_MAX, () => abort.abort())
      yield decoder.decode(chunk as Uint8Array, { stream: true })
    }
  } finally {
    cancel()
  }
}

async function openStream(
  needs: FollowNeeds,
  lastId: string | null,
  ended: AbortSignal,
): Promise<AsyncGenerator<string>> {
  const abort = new AbortController()
  ended.addEventListener('abort', () => abort.abort(), { once: true })
  const response = await needs.client.request('streamEvents', {
    parameters: { topics: 'deliveries', ...(lastId !== null && { last_event_id: lastId }) },
    signal: abort.signal,
  })
  return openedStream(needs, response, abort)
}

type ServerEvent = { id: string | null; name: string; data: string }

/** The events in a text that comes in pieces of any size. */
export async function* eventsIn(pieces: AsyncIterable<string>): AsyncGenerator<ServerEvent> {
  let text = ''
  for await (const piece of pieces) {
    text += piece
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    if (text.length > EVENT_CHARS_MAX) throw new Error('an event is too long')
    for (const block of blocks) {
      const event = eventIn(block)
      if (event !== null) yield event
    }
  }
}

function eventIn(block: string): ServerEvent | null {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^([a-z]+): ?(.*)$/.exec(line) ?? []
    if (name !== '') fields.set(name, value)
  }
  const name = fields.get('event')
  if (name === undefined) return null
  return { id: fields.get('id') ?? null, name, data: fields.get('data') ?? '' }
}

function tell({ heard }: FollowNeeds, { name, data }: ServerEvent): void {
  if (name === 'gap') heard(null)
  if (name === 'delivery') heard(JSON.parse(data) as ListedDelivery)
}
