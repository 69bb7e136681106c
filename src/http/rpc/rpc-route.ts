import { Rejection } from '../../core/errors.ts'
import { type BadCall, type Call, parseBody } from '../../core/rpc/jsonrpc.ts'
import { readTraceContext, type TraceContext } from '../../core/rpc/trace-context.ts'
import type { AppDirectory, Caller } from '../../gateway/app-directory.ts'
import { type ServedBatch, serveBatch } from '../../gateway/serve-batch.ts'
import {
  callerName,
  type RpcContext,
  refused,
  type Served,
  type ServeNeeds,
  serveRpc,
} from '../../gateway/serve-rpc.ts'
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
import type { RpcOutcome } from './access-log.ts'
import { authorize, credentialOf, findCaller, refuseAtEdge } from './find-caller.ts'
import type { JwtCallers } from './jwt-callers.ts'
import { preflightReply } from './rpc-headers.ts'
import { type HttpExchange, type ReplyNeeds, replyTo } from './rpc-reply.ts'

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

export const UNKNOWN_NETWORK = 'unknown'

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
  const exchange = { request, network, trace, startedAtMs, client }
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

  if (small) needs.smallBodies.begun(exchange)
  const text = await (small
    ? request.bytes().then(decodeText, brokeOff)
    : needs.bodies.text(request))
  if (small) needs.smallBodies.ended(exchange)
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
    if (Array.isArray(body)) return await replyToBatch(needs, exchange, context, body)
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

async function replyToBatch(
  needs: RpcRouteNeeds,
  exchange: HttpExchange,
  context: RpcContext,
  calls: readonly (Call | BadCall)[],
): Promise<Response> {
  const outcome = several(await serveBatch(needs, context, calls), context.caller)
  const response = replyTo(needs, exchange, outcome, context.held)
  const retryAfterS = throttledForS(outcome.replies)
  if (retryAfterS > 0) response.headers.set('retry-after', String(retryAfterS))
  return response
}

function refuse(
  needs: RpcRouteNeeds,
  exchange: HttpExchange,
  rejection: Rejection,
  caller: Caller | null = null,
): Response {
  return replyTo(needs, exchange, single(refused('null', '', rejection), caller), null)
}

/** When asking again makes sense for all members that came too fast; 0: none did. */
function throttledForS(members: readonly Served[]): number {
  let longestS = 0
  for (const { rejection } of members) {
    if (rejection?.code !== 'throughput_exceeded') continue
    longestS = Math.max(longestS, rejection.facts.retryAfterS ?? 0)
  }
  return longestS
}

function notJson(request: Request): Rejection | null {
  const mediaType = request.headers.get('content-type')
  if (mediaType === null || isJsonType(mediaType)) return null
  return new Rejection('unsupported_media_type', NOT_JSON)
}

export function single(served: Served, caller: Caller | null): RpcOutcome {
  return {
    replies: [served],
    isBatch: false,
    status: served.status,
    centiCu: served.centiCu,
    cache: served.cache,
    upstream: served.upstream,
    rejection: served.rejection,
    caller,
  }
}

export function several(batch: ServedBatch, caller: Caller): RpcOutcome {
  const { members, centiCu, cache, upstream } = batch
  const facts = { centiCu, cache, upstream, rejection: null, caller }
  return { replies: members, isBatch: true, status: 200, ...facts }
}

export function unknownNetwork(slug: string): Rejection {
  const text =
    slug === ''
      ? 'Name the network: POST /<network>/v2/<key>, or use the host <network>.<domain>.'
      : 'There is no such network here; GET /api/networks lists them, with a token.'
  return new Rejection('unknown_network', text)
}
