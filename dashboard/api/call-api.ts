import type { AnswerOf, BodyOf, ParametersOf } from '../../src/http/contract/contract.ts'
import { ApiError } from './api-error.ts'
import { CALL_ROUTES, type CallId } from './call-routes.ts'

export type CallInput<Id extends CallId> = {
  /** Those of the path, of the query string and the header that names a team, by name. */
  parameters?: ParametersOf<Id>
  body?: BodyOf<Id>
  /** The team to act for, where it is another than the one in view. */
  team?: string
  signal?: AbortSignal
}

/** Names the team; as a parameter it may be empty, for what is the operator's own. */
const TEAM_HEADER = 'X-Team-Id'

/** The team that an operator looks at; a team's own session needs none. */
let actingTeam: string | null = null

/** Told once a call was refused because nobody is signed in. */
let signedOut: () => void = () => {}

export function actForTeam(id: string | null): void {
  actingTeam = id
}

export function onSignedOut(heard: () => void): void {
  signedOut = heard
}

/** Makes one management call with the session's cookie; throws an `ApiError` when it is refused. */
export async function callApi<Id extends CallId>(
  id: Id,
  input: CallInput<Id> = {},
): Promise<AnswerOf<Id>> {
  const response = await request(id, input)
  const isJson = response.headers.get('content-type')?.includes('json')
  return (isJson ? await response.json() : await response.text()) as AnswerOf<Id>
}

/** The text of an answer, whose numbers may have more digits than a script can hold. */
export async function callForText<Id extends CallId>(
  id: Id,
  input: CallInput<Id> = {},
): Promise<string> {
  return (await request(id, input)).text()
}

async function request<Id extends CallId>(id: Id, input: CallInput<Id>): Promise<Response> {
  const [method = '', pattern = ''] = CALL_ROUTES[id].split(' ')
  const { url, headers } = addressOf(pattern, input.parameters ?? {})
  const team = input.team ?? headers.get(TEAM_HEADER) ?? actingTeam
  if (team) headers.set(TEAM_HEADER, team)
  else headers.delete(TEAM_HEADER)
  if (input.body !== undefined) headers.set('content-type', 'application/json')
  const response = await send(url, {
    method,
    headers,
    ...(input.body !== undefined && { body: JSON.stringify(input.body) }),
    ...(input.signal && { signal: input.signal }),
  })
  if (!response.ok) throw await refusalOf(response, id)
  return response
}

/** Parameters of the path go there, the team into its header, others into the query string. */
function addressOf(pattern: string, parameters: object): { url: string; headers: Headers } {
  const query = new URLSearchParams()
  const headers = new Headers()
  let url = pattern
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined || value === null) continue
    const place = `{${name}}`
    if (url.includes(place)) url = url.replace(place, encodeURIComponent(String(value)))
    else if (name === TEAM_HEADER) headers.set(name, String(value))
    else query.set(name, String(value))
  }
  const text = query.toString()
  return { url: text ? `${url}?${text}` : url, headers }
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, credentials: 'same-origin', redirect: 'error' })
  } catch (thrown) {
    if (init.signal?.aborted) throw thrown
    throw new ApiError(0, 'Unreachable', 'Headgate does not answer. Is it running?')
  }
}

async function refusalOf(response: Response, id: CallId): Promise<ApiError> {
  const told = await response.json().catch(() => ({}))
  const { name = 'Error', message = `The answer was ${response.status}.` } = told
  if (response.status === 401 && id !== 'getQuerySchema') signedOut()
  const retryAfterS = Number(response.headers.get('retry-after') ?? 0)
  return new ApiError(response.status, String(name), String(message), {
    retryAfterS,
    locations: Array.isArray(told.locations) ? told.locations : [],
  })
}
