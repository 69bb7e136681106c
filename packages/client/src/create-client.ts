import type { AnswerOf, BodyOf, ParametersOf } from '../../../src/http/contract/contract.ts'
import { ApiError, type ErrorLocation } from './api-error.ts'
import { CALL_ROUTES, type CallId } from './call-routes.ts'

type ClientOptions = {
  /** The address of Headgate, such as http://localhost:8080. */
  url: string
  /** A token of a team, or the operator's. */
  token: string
  /** The team to act for, with the operator's token. */
  team?: string
}

type CallInput<Id extends CallId> = {
  /** Those of the path, of the query string and of headers, by name. */
  parameters?: ParametersOf<Id>
  body?: BodyOf<Id>
  signal?: AbortSignal
}

type RefusalBody = { name: string; message: string; locations: ErrorLocation[] }

export type Client = {
  /** Makes one call by its operation id; throws an `ApiError` when it is refused. */
  call<Id extends CallId>(id: Id, input?: CallInput<Id>): Promise<AnswerOf<Id>>
  /** The answer as it comes, for streams and for numbers of many digits. */
  request<Id extends CallId>(id: Id, input?: CallInput<Id>): Promise<Response>
}

export function createClient(options: ClientOptions): Client {
  const request: Client['request'] = async (id, input = {}) => {
    const response = await send(options, id, input)
    if (!response.ok) throw await refusalOf(response)
    return response
  }
  return {
    request,
    async call(id, input) {
      const response = await request(id, input)
      const isJson = response.headers.get('content-type')?.includes('json')
      return (isJson ? await response.json() : await response.text()) as AnswerOf<typeof id>
    },
  }
}

async function send<Id extends CallId>(
  { url, token, team }: ClientOptions,
  id: Id,
  { parameters = {}, body, signal }: CallInput<Id>,
): Promise<Response> {
  const [method = '', pattern = ''] = CALL_ROUTES[id].split(' ')
  const query = new URLSearchParams()
  let path = pattern
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined || value === null) continue
    const place = `{${name}}`
    if (path.includes(place)) path = path.replace(place, encodeURIComponent(String(value)))
    else query.set(name, String(value))
  }
  const headers = {
    'X-Service-Token': token,
    ...(team !== undefined && { 'X-Team-Id': team }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  const text = query.toString()
  try {
    return await fetch(`${url}${path}${text && `?${text}`}`, {
      method,
      headers,
      redirect: 'error',
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  } catch (thrown) {
    if (signal?.aborted) throw thrown
    throw new ApiError(0, 'Unreachable', `No Headgate answers at ${url}.`)
  }
}

async function refusalOf(response: Response): Promise<ApiError> {
  const told = (await response.json().catch(() => ({}))) as Partial<RefusalBody>
  const { name = 'Error', message = `The answer was ${response.status}.` } = told
  return new ApiError(response.status, String(name), String(message), {
    retryAfterS: Number(response.headers.get('retry-after') ?? 0),
    locations: Array.isArray(told.locations) ? told.locations : [],
  })
}
