import { ApiError } from './api-error.ts'
import type { AnswerOf, CallId, CallInput, InputArgument, PagedCallId } from './call-input.ts'
import { PAGED_CALLS } from './generated/call-routes.ts'
import { type ClientEvent, type EventsInput, readEvents } from './read-events.ts'
import { type Fetch, sendCall, type Target } from './send-call.ts'

export type ClientOptions = {
  /** The address of Headgate, such as http://localhost:8080. */
  url: string
  /** A token of a team, or the operator's; without one a browser's session is used. */
  token?: string
  /** The team to act for, with the operator's token. */
  team?: string
  /** Sends requests in place of the runtime's own `fetch`. */
  fetch?: Fetch
  /**
   * How often a call is repeated that was refused with 429 or 503, after the time that the service
   * names: reads, and changes that do the same however often they are made. Default 2.
   */
  retries?: number
  /** Reads the JSON of answers and events, for numbers with more digits than JavaScript's have. */
  readJson?: (text: string) => unknown
}

export type Client = {
  /** Makes one call by its operation id; throws an `ApiError` when it is refused. */
  call<Id extends CallId>(id: Id, ...input: InputArgument<Id>): Promise<AnswerOf<Id>>
  /** The answer as it comes, for its headers, for streams and for numbers of many digits. */
  request<Id extends CallId>(id: Id, ...input: InputArgument<Id>): Promise<Response>
  /** The pages of a list, one after the other. */
  pages<Id extends PagedCallId>(id: Id, ...input: InputArgument<Id>): AsyncGenerator<AnswerOf<Id>>
  /** Events as they happen; connections that are lost are made anew. */
  events(input?: EventsInput): AsyncGenerator<ClientEvent>
}

type LooseInput = { parameters?: object; body?: unknown; signal?: AbortSignal }

type Page = { pagination: { cursors: Readonly<Record<string, string | number>> } }

const RETRIES = 2

/** A client of the management API of one Headgate. */
export function createClient(options: ClientOptions): Client {
  const target: Target = {
    url: options.url.replace(/\/+$/, ''),
    token: options.token,
    team: options.team,
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    retries: options.retries ?? RETRIES,
  }
  const { readJson = JSON.parse } = options
  const ask = async (id: CallId, input: LooseInput) =>
    answerOf(await sendCall(target, id, input), readJson, input.signal)
  return {
    request: (id, ...[input]) => sendCall(target, id, input ?? {}),
    // The types of answers come from the document that the routes come from.
    call: (id, ...[input]) => ask(id, input ?? {}) as Promise<AnswerOf<typeof id>>,
    pages: (id, ...[input]) => pagesOf(id, input ?? {}, ask) as AsyncGenerator<AnswerOf<typeof id>>,
    events: (input = {}) =>
      readEvents((id, signal) => openStream(target, input, id, signal), input, readJson),
  }
}

async function answerOf(
  response: Response,
  readJson: (text: string) => unknown,
  signal?: AbortSignal,
): Promise<unknown> {
  if (response.status === 304) {
    throw new ApiError(304, 'NotModified', 'It is as it was when it was read.')
  }
  const text = await response.text().catch((thrown) => {
    if (signal?.aborted) throw thrown
    throw new ApiError(0, 'Unreachable', 'The connection broke before the answer’s end.')
  })
  if (response.headers.get('content-type')?.startsWith('text/plain')) return text
  try {
    return readJson(text)
  } catch {
    throw new ApiError(response.status, 'NoHeadgate', 'The answer is no JSON.')
  }
}

async function* pagesOf(
  id: PagedCallId,
  input: LooseInput,
  ask: (id: CallId, input: LooseInput) => Promise<unknown>,
): AsyncGenerator<unknown> {
  const { parameter, member } = PAGED_CALLS[id]
  let { parameters } = input
  while (true) {
    const page = (await ask(id, { ...input, ...(parameters && { parameters }) })) as Page
    yield page
    const next = page.pagination.cursors[member]
    if (next === undefined) return
    parameters = { ...parameters, [parameter]: next }
  }
}

function openStream(
  target: Target,
  { topics, webhookId }: EventsInput,
  lastEventId: string,
  signal: AbortSignal,
): Promise<Response> {
  const parameters: CallInput<'streamEvents'>['parameters'] = {
    topics: topics?.join(','),
    webhook_id: webhookId,
    ...(lastEventId !== '' && { 'Last-Event-ID': lastEventId }),
  }
  return sendCall({ ...target, retries: 0 }, 'streamEvents', { parameters, signal })
}
