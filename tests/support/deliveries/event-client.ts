import { expect } from 'bun:test'
import { checkSchema } from '../../../src/core/schema/check-schema.ts'
import type { WireEvents } from '../../../src/http/contract/contract.ts'
import { EVENTS } from '../../../src/http/contract/events.ts'
import { until } from '../basics/until.ts'

type EventName = keyof WireEvents

export type HeardEvent = {
  [Name in EventName]: { name: Name; id: string; data: WireEvents[Name] }
}[EventName]

/** A client of the stream of events, which reads as it comes. */
export type EventClient = {
  response: Response
  /** All events so far. */
  events: HeardEvent[]
  /** The id that a browser would come back with. */
  lastId(): string
  retryMs(): number | null
  /** The data of the events of a name, in their order. */
  of<Name extends EventName>(name: Name): WireEvents[Name][]
  /** Waits for an event of that name of which `holds` is true. */
  hears<Name extends EventName>(
    name: Name,
    holds: (data: WireEvents[Name]) => boolean,
    what?: string,
  ): Promise<WireEvents[Name]>
  /** Resolves when the stream is over: in order, or cut off. */
  ended: Promise<'in order' | 'cut'>
  close(): void
}

type Options = { query?: string; headers?: Record<string, string> }

/** Every event is held against the document. Without a token, headers say who listens. */
export async function listen(
  url: string,
  token: string,
  { query = '', headers = {} }: Options = {},
): Promise<EventClient> {
  const abort = new AbortController()
  const response = await fetch(`${url}/api/events${query}`, {
    headers: { ...(token === '' ? {} : { 'x-service-token': token }), ...headers },
    signal: abort.signal,
  })
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
  ])
  const events: HeardEvent[] = []
  let lastId = ''
  let retryMs: number | null = null

  const take = (text: string) => {
    const fields = new Map(
      text.split('\n').map((line) => line.split(/: ?(.*)/, 2) as [string, string]),
    )
    if (fields.has('retry')) retryMs = Number(fields.get('retry'))
    lastId = fields.get('id') ?? lastId
    const name = fields.get('event') as EventName | undefined
    if (name === undefined) return
    const data = JSON.parse(fields.get('data') ?? '')
    expect(checkSchema(EVENTS[name], data)).toEqual([])
    events.push({ name, id: lastId, data } as HeardEvent)
  }
  const of = <Name extends EventName>(name: Name) =>
    events.filter((event) => event.name === name).map(({ data }) => data as WireEvents[Name])

  return {
    response,
    events,
    lastId: () => lastId,
    retryMs: () => retryMs,
    of,
    async hears(name, holds, what = `a ${name}`) {
      await until(() => of(name).some(holds), what)
      return of(name).find(holds) as WireEvents[typeof name]
    },
    ended: readAll(response, take).then(
      () => 'in order',
      () => 'cut',
    ),
    close: () => abort.abort(),
  }
}

async function readAll(response: Response, take: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    const parts = text.split('\n\n')
    text = parts.pop() ?? ''
    for (const part of parts) take(part)
  }
}
