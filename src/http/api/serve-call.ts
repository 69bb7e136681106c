import type { Team } from '../../core/billing/plan.ts'
import { Rejection } from '../../core/errors.ts'
import { nestsDeeperThan } from '../../core/json/json-scan.ts'
import { parseJson } from '../../core/json/json-value.ts'
import type { Contract } from '../contract/contract.ts'
import { type Audience, makesGrow } from '../contract/operation.ts'
import type { ApiClient } from '../edge/client.ts'
import { isJsonType, type RequestBodies } from '../edge/request-bodies.ts'
import { actingTeam } from './acting-team.ts'
import type { Authenticator } from './authenticate.ts'
import type { BodyBudget } from './body-budget.ts'
import { CALL_HANDLERS } from './call-handlers.ts'
import type { ApiCaller, CallerStream, Visitor } from './calls/handler.ts'
import { checkRequestBody, checkRequestParameters } from './check-request.ts'
import type { ManagementApi } from './management-api.ts'
import type { ApiRoute } from './route-table.ts'

type Gate = { auth: Authenticator; budget: BodyBudget }

type Found = Extract<ApiRoute<keyof Contract>, { kind: 'found' }>

export type AskedCall = {
  request: Request
  client: ApiClient
  reply(text: string): Response
}

/**
 * Checks who calls, for which team and with what, as the contract says; then the handler answers.
 * The value becomes the JSON of the answer, unless it is a response or a rejection.
 */
export async function serveCall(
  api: ManagementApi,
  gate: Gate,
  { id, operation, pathValues }: Found,
  asked: AskedCall,
): Promise<unknown> {
  const { audience } = operation
  const { request, client } = asked
  const clientAddress = client.address()
  const caller = audience === 'public' ? null : await gate.auth.caller(request, clientAddress)
  if (caller instanceof Rejection) return caller
  const refused = caller && refuseCaller(audience, caller)
  if (refused) return refused

  const query = queryOf(request)
  const parameters = checkRequestParameters(operation, pathValues, query, request.headers)
  if (parameters instanceof Rejection) return parameters

  const team = audience === 'team' && caller ? await actingTeam(api, caller, parameters) : null
  if (team instanceof Rejection) return team

  const { budget } = gate
  const bodies = caller ? budget.forTeam(payerOf(caller, team)) : budget.forVisitors
  const sent = operation.body ? await readJsonBody(bodies, request) : undefined
  if (sent instanceof Rejection) return sent

  const body = checkRequestBody(operation, sent)
  if (body instanceof Rejection) return body
  if (makesGrow(operation, body) && api.isDiskLow()) return diskIsFull()

  const visitor: Visitor = { headers: request.headers, address: clientAddress, auth: gate.auth }
  const stream = caller && streamOf(gate, asked, clientAddress, caller)
  const call = { parameters, body, caller, team, session: caller?.session, visitor, stream }
  // The handler's types come from the very operation that all of this was checked against.
  const work = () => CALL_HANDLERS[id](api, call as never)
  if (!team || request.method !== 'GET') return work()
  return budget.read(team.id, work, asked.reply)
}

function refuseCaller(audience: Audience, caller: ApiCaller): Rejection | null {
  if (audience === 'operator' && caller.kind !== 'operator') {
    return new Rejection('forbidden', 'This call takes the operator’s token.')
  }
  if (audience === 'session' && caller.session === null) {
    return new Rejection('forbidden', 'This call is about a session, and takes no token.')
  }
  return null
}

/** The one whose budget a call counts for. */
function payerOf({ teamId, token }: ApiCaller, team: Team | null): string {
  return team?.id ?? teamId ?? token?.id ?? ''
}

/** For an answer that lasts: whether the caller would still be let in. */
function streamOf(
  { auth }: Gate,
  { request, client }: AskedCall,
  clientAddress: string,
  caller: ApiCaller,
): CallerStream {
  return {
    client,
    async isStillAllowed() {
      const again = await auth.caller(request, clientAddress)
      if (again instanceof Rejection) return again.code !== 'unauthorized'
      return again.token?.id === caller.token?.id && again.session?.id === caller.session?.id
    },
  }
}

function queryOf(request: Request): URLSearchParams {
  const at = request.url.indexOf('?')
  return new URLSearchParams(at < 0 ? '' : request.url.slice(at + 1).split('#')[0])
}

/** Refuses new data only: stored webhooks go on, and deleting makes room. */
function diskIsFull(): Rejection {
  const text =
    'The disk of this service is nearly full, so nothing new is stored at the moment. Its ' +
    'operator has to make room.'
  return new Rejection('insufficient_storage', text)
}

const DEPTH_MAX = 64

/** The body as a JSON value; undefined when there is none. */
export async function readJsonBody(
  bodies: RequestBodies,
  request: Request,
): Promise<unknown | Rejection> {
  const mediaType = request.headers.get('content-type')
  if (mediaType !== null && !isJsonType(mediaType)) {
    return new Rejection('unsupported_media_type', 'The content-type must be application/json.')
  }

  const text = await bodies.text(request)
  if (text instanceof Rejection) return text
  if (text.trim() === '') return undefined

  // Looked at before parsing, because a deep body costs the parser its stack.
  if (nestsDeeperThan(text, DEPTH_MAX)) {
    return new Rejection('validation', `The body is nested deeper than ${DEPTH_MAX} levels.`)
  }
  const value = parseJson(text)
  return value === undefined ? new Rejection('validation', 'The body is not JSON.') : value
}
