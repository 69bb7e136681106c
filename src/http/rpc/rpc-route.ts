import { Rejection } from '../../core/errors.ts'
import { NO_PLACE } from '../../core/in-flight.ts'
import { parseBody } from '../../core/rpc/jsonrpc.ts'
import { readTraceContext, type TraceContext } from '../../core/rpc/trace-context.ts'
import type { AppDirectory } from '../../gateway/app-directory.ts'
import { serveBatch } from '../../gateway/serve-batch.ts'
import { callerName, type RpcContext, type ServeNeeds, serveRpc } from '../../gateway/serve-rpc.ts'
import type { Clock } from '../../ports/clock.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import { requestAny } from '../../upstream/pool/upstream-pool.ts'
import type { Client } from '../edge/client.ts'
import {
  brokeOff,
  decodeText,
  isJsonType,
  isSmall,
  type RequestBodies,
  type SmallBodies,
} from '../edge/request-bodies.ts'
import type { RpcTarget } from '../edge/request-target.ts'
import { several, single, UNKNOWN_NETWORK } from './access-log.ts'
import { authorize, credentialOf, findCaller, refuseAtEdge, unknownNetwork } from './find-caller.ts'
import type { JwtCallers } from './jwt-callers.ts'
import { preflightReply } from './rpc-headers.ts'
import { type ReplyNeeds, refuse, replyTo } from './rpc-reply.ts'

export interface RpcRouteNeeds extends ServeNeeds, ReplyNeeds {
  clock: Clock
  directory: AppDirectory
  jwtCallers: JwtCallers
  bodies: RequestBodies
  smallBodies: SmallBodies
  /** Looked up for each request, so that a reload takes effect with the next one. */
  networkBySlug(slug: string): NetworkService | undefined
  nextSpanId(): string
}

/** Answers `POST {base_url}/v2/<key>`. */
export type RpcRoute = (
  request: Request,
  target: RpcTarget,
  client: Client,
) => Response | Promise<Response>

const POST_ONLY = 'JSON-RPC is spoken with POST.'

const NOT_JSON = 'The content-type must be application/json.'

export function openRpcRoute(needs: RpcRouteNeeds): RpcRoute {
  return (request, target, client) =>
    request.method === 'OPTIONS' ? preflightReply(request) : serve(needs, request, target, client)
}

/** Hot path: as few promises as it can do with. */
async function serve(
  needs: RpcRouteNeeds,
  request: Request,
  target: RpcTarget,
  client: Client,
): Promise<Response> {
  const startedAtMs = needs.clock.monotonicMs()
  const service = needs.networkBySlug(target.slug)
  const trace = traceOf(request, needs.nextSpanId)
  const network = service?.network.id ?? UNKNOWN_NETWORK
  const exchange = { request, network, trace, startedAtMs, client, place: NO_PLACE }
  if (request.method !== 'POST') {
    return refuse(needs, exchange, new Rejection('method_not_allowed', POST_ONLY))
  }
  if (!service) return refuse(needs, exchange, unknownNetwork(target.slug))

  const found = findCaller(needs, credentialOf(request, target), client)
  const caller = found instanceof Promise ? await found : found
  if (caller instanceof Rejection) return refuse(needs, exchange, caller)

  const name = callerName(caller, client)
  const small = isSmall(request)
  const barred =
    authorize(needs, caller, service) ??
    refuseAtEdge(caller, request, client) ??
    notJson(request) ??
    (caller.isDemo && !small ? needs.demo.admitBody(name) : null)
  if (barred) return refuse(needs, exchange, barred, caller)

  let text: string | Rejection
  if (small) {
    needs.smallBodies.begun(exchange)
    try {
      text = decodeText(await request.bytes())
    } catch {
      text = brokeOff()
    }
    needs.smallBodies.ended(exchange)
    await new Promise<void>(needs.smallBodies.inTurn)
  } else {
    text = await needs.bodies.text(request)
  }
  if (text instanceof Rejection) return refuse(needs, exchange, text, caller)

  const body = parseBody(text)
  if (body instanceof Rejection) return refuse(needs, exchange, body, caller)

  const context: RpcContext = {
    caller,
    service,
    name,
    isBatch: Array.isArray(body),
    held: null,
    trace,
  }
  try {
    if (Array.isArray(body)) {
      const batch = await serveBatch(needs, context, body)
      return replyTo(needs, exchange, several(batch, caller), context.held)
    }
    const served = serveRpc(needs, context, body, requestAny)
    const only = served instanceof Promise ? await served : served
    return replyTo(needs, exchange, single(only, caller), context.held)
  } catch (bug) {
    context.held?.release()
    throw bug
  }
}

/** The trace that a request says it belongs to. Hot path: most have none, and one look tells. */
function traceOf({ headers }: Request, nextSpanId: () => string): TraceContext | null {
  const traceparent = headers.get('traceparent')
  if (traceparent === null) return null
  return readTraceContext(traceparent, headers.get('tracestate'), nextSpanId())
}

function notJson(request: Request): Rejection | null {
  const mediaType = request.headers.get('content-type')
  if (mediaType === null || isJsonType(mediaType)) return null
  return new Rejection('unsupported_media_type', NOT_JSON)
}
