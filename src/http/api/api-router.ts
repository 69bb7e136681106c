import { assert, Failure, Rejection } from '../../core/errors.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { OPEN_API } from '../contract/contract.ts'
import { makesGrow, type Operation, type Paths, successStatus } from '../contract/openapi.ts'
import { type BodyBudget, openBodyBudget } from '../edge/body-budget.ts'
import { readJsonBody } from '../edge/read-body.ts'
import { actingTeam } from './acting-team.ts'
import { compressReply, failureReply, jsonReply, refusalReply } from './api-reply.ts'
import { type Authenticate, authenticator } from './authenticate.ts'
import { CALL_HANDLERS, type CallNeeds } from './call-handlers.ts'
import { checkBody, checkParameters } from './check-request.ts'
import { type Route, routeTable } from './route-table.ts'

export type ApiNeeds = CallNeeds & {
  telemetry: Pick<Telemetry, 'log'>
  bodies: Parameters<typeof readJsonBody>[0]
  /** There is no room for what makes the store grow. */
  isDiskLow(): boolean
} & Parameters<typeof authenticator>[0]

/** What a router counts over all its calls. */
type Gate = { authenticate: Authenticate; budget: BodyBudget }

/** `path` is the request's path without its query. */
export type ApiRouter = (request: Request, path: string, clientAddress: string) => Promise<Response>

type Found = Extract<Route, { kind: 'found' }>

const API_PREFIX = '/api/'

/** The management API: everything below /api/, as the OpenAPI document describes it. */
export function apiRouter(needs: ApiNeeds): ApiRouter {
  const findRoute = routeTable(handledPaths(OPEN_API.paths))
  const gate = { authenticate: authenticator(needs), budget: openBodyBudget(needs) }

  const answer = async (request: Request, route: Route, clientAddress: string) => {
    if (route.kind === 'unknown_path') {
      return refusalReply(new Rejection('not_found', 'There is no such call; see /docs.'))
    }
    if (route.kind === 'wrong_method') {
      const text = `This path takes ${route.allow}.`
      return refusalReply(new Rejection('method_not_allowed', text), { allow: route.allow })
    }

    try {
      const value = await serve(needs, gate, route, request, clientAddress)
      if (value instanceof Rejection) return refusalReply(value)
      return value instanceof Response ? value : jsonReply(value, successStatus(route.operation))
    } catch (error) {
      // One call that breaks must not take the others down with it.
      logFailure(needs, route.operation, error)
      return failureReply(error)
    }
  }

  return async (request, path, clientAddress) => {
    const startedAtMs = needs.clock.monotonicMs()
    const route = findRoute(request.method, path)
    const response = await compressReply(await answer(request, route, clientAddress), request)
    const ms = Math.round((needs.clock.monotonicMs() - startedAtMs) * 100) / 100
    // The path itself stays out: whoever mistypes an address may have a key in it.
    const call = route.kind === 'found' ? route.operation.operationId : route.kind
    needs.telemetry.log('info', 'api', { call, status: response.status, ms })
    return response
  }
}

/** The part of the document that is answered here; each operation of it has its handler. */
export function handledPaths(paths: Paths): Paths {
  const handled = Object.entries(paths).filter(([path]) => path.startsWith(API_PREFIX))
  for (const operation of handled.flatMap(([, methods]) => Object.values(methods))) {
    const handlers = CALL_HANDLERS[operation['x-audience']]
    assert(Object.hasOwn(handlers, operation.operationId), `${operation.operationId} has a handler`)
  }
  return Object.fromEntries(handled)
}

async function serve(
  needs: ApiNeeds,
  { authenticate, budget }: Gate,
  { operation, pathValues }: Found,
  request: Request,
  clientAddress: string,
): Promise<unknown> {
  const audience = operation['x-audience']
  const token = audience === 'public' ? null : await authenticate(request.headers, clientAddress)
  if (token instanceof Rejection) return token

  if (audience === 'operator' && token?.kind !== 'operator') {
    return new Rejection('forbidden', 'This call takes the operator’s token.')
  }

  const query = queryOf(request)
  const parameters = checkParameters(operation, pathValues, query, request.headers)
  if (parameters instanceof Rejection) return parameters

  const team = audience === 'team' && token ? await actingTeam(needs, token, parameters) : null
  if (team instanceof Rejection) return team

  const bodies = budget.forTeam(team?.id ?? token?.id ?? '')
  const body = operation.requestBody ? await readJsonBody(bodies, request) : undefined
  if (body instanceof Rejection) return body

  const fault = checkBody(operation, body)
  if (fault) return fault
  if (makesGrow(operation, body) && needs.isDiskLow()) return diskIsFull()

  const id = operation.operationId
  const call = { parameters, body }
  if (!token) return CALL_HANDLERS.public[id]?.(needs, { ...call, headers: request.headers })
  if (team) {
    const work = async () => CALL_HANDLERS.team[id]?.(needs, { ...call, token, team })
    return request.method === 'GET' ? budget.read(team.id, work) : work()
  }
  const handlers = audience === 'operator' ? CALL_HANDLERS.operator : CALL_HANDLERS['any-token']
  return handlers[id]?.(needs, { ...call, token })
}

function queryOf(request: Request): URLSearchParams {
  const at = request.url.indexOf('?')
  return new URLSearchParams(at < 0 ? '' : request.url.slice(at + 1).split('#')[0])
}

function logFailure(needs: ApiNeeds, operation: Operation, error: unknown): void {
  const code = error instanceof Failure ? error.code : 'bug'
  const text = error instanceof Error ? error.message : String(error)
  needs.telemetry.log('error', 'api_call_failed', {
    operation: operation.operationId,
    code,
    error: text,
  })
}

/** What is stored already goes on; what can be deleted makes room. */
function diskIsFull(): Rejection {
  const text =
    'The disk of this service is nearly full, so nothing new is stored at the moment. Its ' +
    'operator has to make room.'
  return new Rejection('insufficient_storage', text)
}
