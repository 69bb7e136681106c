import { errorText, Failure, Rejection } from '../../core/errors.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { CONTRACT, type Contract } from '../contract/contract.ts'
import { makesGrow } from '../contract/operation.ts'
import { actingTeam } from './acting-team.ts'
import { type Authenticate, authenticator } from './authenticate.ts'
import { type BodyBudget, openBodyBudget } from './body-budget.ts'
import { CALL_HANDLERS, type CallNeeds } from './call-handlers.ts'
import { compressReply, failureReply, jsonReply, refusalReply } from './calls/api-reply.ts'
import { checkRequestBody, checkRequestParameters } from './check-request.ts'
import { readJsonBody } from './read-json-body.ts'
import { type ApiRoute, routeTable } from './route-table.ts'

export type ApiNeeds = CallNeeds & {
  telemetry: Pick<Telemetry, 'log'>
  bodies: Parameters<typeof readJsonBody>[0]
  /** There is no room for what makes the store grow. */
  isDiskLow(): boolean
} & Parameters<typeof authenticator>[0]

/** The counters that all calls of a router share. */
type Gate = { authenticate: Authenticate; budget: BodyBudget }

/** `path` is the request's path without its query. */
export type ApiRouter = (request: Request, path: string, clientAddress: string) => Promise<Response>

type Found = Extract<ApiRoute<keyof Contract>, { kind: 'found' }>

/** The management API: everything below /api/, as the contract defines it. */
export function apiRouter(needs: ApiNeeds): ApiRouter {
  const findRoute = routeTable(CONTRACT)
  const gate = { authenticate: authenticator(needs), budget: openBodyBudget(needs) }

  type Route = ReturnType<typeof findRoute>
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
      return value instanceof Response
        ? value
        : jsonReply(value, route.operation.answerStatus ?? 200)
    } catch (error) {
      // One call that breaks must not take the others down with it.
      logFailure(needs, route.id, error)
      return failureReply(error)
    }
  }

  return async (request, path, clientAddress) => {
    const startedAtMs = needs.clock.monotonicMs()
    const route = findRoute(request.method, path)
    const response = await compressReply(await answer(request, route, clientAddress), request)
    const ms = Math.round((needs.clock.monotonicMs() - startedAtMs) * 100) / 100
    // The path itself is not logged: a mistyped address may have a key in it.
    const call = route.kind === 'found' ? route.id : route.kind
    needs.telemetry.log('info', 'api', { call, status: response.status, ms })
    return response
  }
}

async function serve(
  needs: ApiNeeds,
  { authenticate, budget }: Gate,
  { id, operation, pathValues }: Found,
  request: Request,
  clientAddress: string,
): Promise<unknown> {
  const { audience } = operation
  const token = audience === 'public' ? null : await authenticate(request.headers, clientAddress)
  if (token instanceof Rejection) return token

  if (audience === 'operator' && token?.kind !== 'operator') {
    return new Rejection('forbidden', 'This call takes the operator’s token.')
  }

  const query = queryOf(request)
  const parameters = checkRequestParameters(operation, pathValues, query, request.headers)
  if (parameters instanceof Rejection) return parameters

  const team = audience === 'team' && token ? await actingTeam(needs, token, parameters) : null
  if (team instanceof Rejection) return team

  const bodies = budget.forTeam(team?.id ?? token?.id ?? '')
  const sent = operation.body ? await readJsonBody(bodies, request) : undefined
  if (sent instanceof Rejection) return sent

  const body = checkRequestBody(operation, sent)
  if (body instanceof Rejection) return body
  if (makesGrow(operation, body) && needs.isDiskLow()) return diskIsFull()

  const call = { parameters, body, token, team, headers: request.headers }
  // The handler's types come from the very operation that all of this was checked against.
  const work = () => CALL_HANDLERS[id](needs, call as never)
  return team && request.method === 'GET' ? budget.read(team.id, work) : work()
}

function queryOf(request: Request): URLSearchParams {
  const at = request.url.indexOf('?')
  return new URLSearchParams(at < 0 ? '' : request.url.slice(at + 1).split('#')[0])
}

function logFailure(needs: ApiNeeds, operation: string, error: unknown): void {
  const code = error instanceof Failure ? error.code : 'bug'
  const text = errorText(error)
  needs.telemetry.log('error', 'api_call_failed', { operation, code, error: text })
}

/** Refuses new data only: stored webhooks go on, and deleting makes room. */
function diskIsFull(): Rejection {
  const text =
    'The disk of this service is nearly full, so nothing new is stored at the moment. Its ' +
    'operator has to make room.'
  return new Rejection('insufficient_storage', text)
}
