import { ApiError, apiErrorOf } from './api-error.ts'
import type { CallId } from './call-input.ts'
import { CALL_ROUTES, HEADER_PARAMETERS } from './generated/call-routes.ts'
import { waitMs } from './wait-ms.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** A Headgate, and who calls it. */
export type Target = {
  url: string
  token: string | undefined
  team: string | undefined
  fetch: Fetch
  retries: number
}

type Sent = { parameters?: object; body?: unknown; signal?: AbortSignal }

type Outgoing = { url: string; init: RequestInit }

const TEAM = 'X-Team-Id'

/** Refusals that pass with time: nothing was done. */
const PASSING: readonly number[] = [429, 503]

const NOT_MODIFIED = 304

/** Without a word of the service on when to ask again. */
const WAIT_S = 1

/** A refusal that says to wait for longer is not waited for. */
const WAIT_S_MAX = 60

/** Sends a call, and once more after a refusal that passes where a repetition does no harm. */
export async function sendCall(target: Target, id: CallId, sent: Sent): Promise<Response> {
  const [method = '', pattern = ''] = CALL_ROUTES[id].split(' ')
  const outgoing = outgoingOf(target, method, pattern, sent)
  const repeats = isRepeatable(method, sent) ? target.retries : 0
  for (let left = repeats; ; left--) {
    const response = await exchange(target, outgoing)
    if (response.ok || response.status === NOT_MODIFIED) return response
    const refused = await apiErrorOf(response)
    const passes = PASSING.includes(response.status) && refused.retryAfterS <= WAIT_S_MAX
    if (left <= 0 || !passes) throw refused
    await waitMs((refused.retryAfterS || WAIT_S) * 1000, sent.signal)
  }
}

/** Reads, and changes that do the same however often they are made. */
function isRepeatable(method: string, { parameters = {} }: Sent): boolean {
  if (method === 'GET' || method === 'PUT') return true
  return method === 'POST' && 'by_name' in parameters && parameters.by_name === 'true'
}

/** Parameters go where the route has a place for them, into headers, or into the query string. */
function outgoingOf(target: Target, method: string, pattern: string, sent: Sent): Outgoing {
  const { parameters = {}, body, signal } = sent
  const query = new URLSearchParams()
  const headers = new Headers()
  if (target.team !== undefined) setHeader(headers, TEAM, target.team)
  let path = pattern
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined || value === null) continue
    const place = `{${name}}`
    const text = String(value)
    if (path.includes(place)) path = path.replace(place, () => segmentOf(name, text))
    else if (HEADER_PARAMETERS.has(name)) setHeader(headers, name, text)
    else query.set(name, text)
  }
  // An empty team stands for none, also where the client has one.
  if (headers.get(TEAM) === '') headers.delete(TEAM)
  if (target.token !== undefined) setHeader(headers, 'X-Service-Token', target.token)
  if (body !== undefined) headers.set('content-type', 'application/json')
  const asked = query.toString()
  const init: RequestInit = {
    method,
    headers,
    // A token must not travel on to wherever a redirect leads.
    redirect: 'error',
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }
  return { url: `${target.url}${path}${asked && `?${asked}`}`, init }
}

/** A value that would lead to another path is refused here: on the way it would vanish. */
function segmentOf(name: string, text: string): string {
  if (!/^\.{0,2}$/.test(text)) return encodeURIComponent(text)
  throw new ApiError(400, 'ValidationError', `${name} must not be ${JSON.stringify(text)}.`)
}

/** The value may be a token, so that the error does not show it. */
function setHeader(headers: Headers, name: string, value: string): void {
  try {
    headers.set(name, value)
  } catch {
    const message = `${name} has characters that a header cannot have.`
    throw new ApiError(400, 'ValidationError', message)
  }
}

async function exchange(target: Target, { url, init }: Outgoing): Promise<Response> {
  try {
    return await target.fetch(url, init)
  } catch (thrown) {
    if (init.signal?.aborted) throw thrown
    const where =
      target.url === '' ? 'Headgate does not answer' : `No Headgate answers at ${target.url}`
    throw new ApiError(0, 'Unreachable', `${where}. Is it running?`)
  }
}
