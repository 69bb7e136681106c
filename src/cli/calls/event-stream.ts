import { ApiError } from '@headgate/client'
import type { EventTopic } from '../../http/contract/contract.ts'
import type { Calling } from '../connect/run-call.ts'
import { readExactJson, readShownJson } from '../terminal/exact-json.ts'

/** One event of the stream; its data as the contract has it. */
export type StreamEvent = { name: string; data: unknown }

type Filter = { topics: readonly EventTopic[]; webhookId?: string }

/** The service may be starting anew. */
const RECONNECT_MS = 1000

/** More than any event has; a stream without line ends is none. */
const EVENT_CHARS_MAX = 16_777_216

/** Events as they come, for as long as they are read. A stream that breaks is opened again. */
export async function* readEvents(
  { client, terminal, clock }: Calling,
  { topics, webhookId }: Filter,
): AsyncGenerator<StreamEvent> {
  const read = terminal.isJson ? readExactJson : readShownJson
  let lastId: string | undefined
  let wasOpen = false
  for (;;) {
    try {
      const response = await client.request('streamEvents', {
        parameters: {
          topics: topics.join(','),
          ...(webhookId !== undefined && { webhook_id: webhookId }),
          ...(lastId !== undefined && { last_event_id: lastId }),
        },
      })
      wasOpen = true
      for await (const { id, name, data } of eventsOf(response)) {
        lastId = id ?? lastId
        yield { name, data: read(data) }
      }
    } catch (thrown) {
      // A token that was revoked will not come back; a service that restarts will.
      if (!wasOpen || (thrown instanceof ApiError && thrown.status !== 0)) throw thrown
    }
    terminal.note('The stream broke; connecting again.')
    await clock.sleep(RECONNECT_MS)
  }
}

/** The events of one response, as the standard of server-sent events writes them. */
async function* eventsOf(response: Response) {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    if (text.length > EVENT_CHARS_MAX) return
    for (const block of blocks) {
      const event = eventOf(block)
      if (event) yield event
    }
  }
}

function eventOf(block: string): { id?: string; name: string; data: string } | null {
  const lines = block.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line))
  const valuesOf = (field: string) =>
    lines.flatMap((line) => (line?.[1] === field ? [line[2] ?? ''] : []))
  const data = valuesOf('data')
  if (data.length === 0) return null
  const id = valuesOf('id').at(-1)
  const name = valuesOf('event').at(-1) ?? 'message'
  return { ...(id !== undefined && { id }), name, data: data.join('\n') }
}
