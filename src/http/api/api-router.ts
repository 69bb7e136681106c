import { errorText, Failure, Rejection } from '../../core/errors.ts'
import { CONTRACT } from '../contract/contract.ts'
import type { ApiClient } from '../edge/client.ts'
import { authenticator } from './authenticate.ts'
import { openBodyBudget } from './body-budget.ts'
import {
  compressReply,
  failureReply,
  jsonReply,
  refusalReply,
  replyMaker,
} from './calls/api-reply.ts'
import type { ManagementApi } from './management-api.ts'
import { routeTable } from './route-table.ts'
import { type AskedCall, serveCall } from './serve-call.ts'

/** `path` is without its query. */
export type ApiRouter = (
  request: Request,
  path: string,
  client: ApiClient,
) => Response | Promise<Response>

export function apiRouter(api: ManagementApi): ApiRouter {
  const findRoute = routeTable(CONTRACT, api.local !== null)
  const gate = { auth: authenticator(api), budget: openBodyBudget(api.clock, api.bodies) }

  type Route = ReturnType<typeof findRoute>
  const answer = async (route: Route, asked: Omit<AskedCall, 'reply'>) => {
    if (route.kind === 'unknown_path') {
      return refusalReply(new Rejection('not_found', 'There is no such call; see /docs/reference.'))
    }
    if (route.kind === 'wrong_method') {
      const text = `This path takes ${route.allow}.`
      return refusalReply(new Rejection('method_not_allowed', text), { allow: route.allow })
    }

    const reply = replyMaker(route.operation, asked.request.headers)
    try {
      const value = await serveCall(api, gate, route, { ...asked, reply })
      if (value instanceof Rejection) return refusalReply(value)
      if (value instanceof Response) return value
      if (route.operation.answerStatus === 201) return jsonReply(value, 201)
      return reply(JSON.stringify(value))
    } catch (error) {
      // One call that breaks must not take the others down with it.
      const code = error instanceof Failure ? error.code : 'bug'
      const facts = { operation: route.id, code, error: errorText(error) }
      api.telemetry.log('error', 'api_call_failed', facts)
      return failureReply(error)
    }
  }

  return async (request, path, client) => {
    const startedAtMs = api.clock.monotonicMs()
    const route = findRoute(request.method, path)
    const answered = await answer(route, { request, client })
    const response = await compressReply(answered, request)
    const ms = Math.round((api.clock.monotonicMs() - startedAtMs) * 100) / 100
    // The path itself is not logged: a mistyped address may have a key in it.
    const call = route.kind === 'found' ? route.id : route.kind
    api.telemetry.log('info', 'api', { call, status: response.status, ms })
    return response
  }
}
