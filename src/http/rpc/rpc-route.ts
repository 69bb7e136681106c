import { Rejection } from '../../core/errors.ts'
import { parseBody } from '../../core/rpc/jsonrpc.ts'
import type { Caller } from '../../gateway/app-directory.ts'
import type { RpcContext, ServeNeeds } from '../../gateway/rpc-context.ts'
import { type ServedBatch, serveBatch } from '../../gateway/serve-batch.ts'
import { refused, type Served, serveRpc } from '../../gateway/serve-rpc.ts'
import { brokeOff, decodeText, isJsonType, type RequestBodies } from '../edge/request-bodies.ts'
import type { RpcTarget } from '../edge/request-target.ts'
import { isSmall, type SmallBodies } from '../edge/small-bodies.ts'
import {
  authorize,
  type CallerNeeds,
  credentialOf,
  findCaller,
  refuseAtEdge,
} from './find-caller.ts'
import { openReplyHeaders, preflightReply, traceOf } from './rpc-headers.ts'
import { type ReplyNeeds, type RpcExchange, type RpcOutcome, replyTo } from './rpc-reply.ts'

export type RpcRouteNeeds = ServeNeeds &
  CallerNeeds &
  Omit<ReplyNeeds, 'replyHeaders'> & {
    bodies: RequestBodies
    smallBodies: SmallBodies
    /** Looked up for each request, so that a reload takes effect with the next one. */
    networkBySlug(slug: string): NetworkService | undefined
    nextSpanId(): string
  }

type NetworkService = RpcContext['service']

export type Client = {
  address(): string
  /** Ends the connection, within seconds. */
  cut(): void
  /** Few requests are open at the server. */
  isQuiet(): boolean
}

/** Answers `POST {base_url}/v2/<key>`. */
export type RpcRoute = (
  request: Request,
  target: RpcTarget,
  client: Client,
) => Response | Promise<Response>

type Needs = RpcRouteNeeds & ReplyNeeds

type Exchange = RpcExchange & { client: Client }

const NOT_JSON = 'The content-type must be application/json.'

export function openRpcRoute(given: RpcRouteNeeds): RpcRoute {
  const needs: Needs = { ...given, replyHeaders: openReplyHeaders() }
  return (request, target, client) => serve(needs, request, target, client)
}

/** Hot path: as few promises as it can do with. */
function serve(
  needs: Needs,
  request: Request,
  target: RpcTarget,
  client: Client,
): Response | Promise<Response> {
  if (request.method === 'OPTIONS') return preflightReply(request)
  const startedAtMs = needs.clock.monotonicMs()
  const service = needs.networkBySlug(target.slug)
  const trace = traceOf(request, needs.nextSpanId)
  const exchange = { request, networkId: service?.network.id, trace, startedAtMs, client }

  if (request.method !== 'POST') {
    const rejection = new Rejection('method_not_allowed', 'JSON-RPC is spoken with POST.')
    return refuse(needs, exchange, rejection)
  }
  if (!service) return refuse(needs, exchange, unknownNetwork(target.slug))

  const caller = findCaller(needs, credentialOf(request, target), client.address)
  if (!(caller instanceof Promise)) return serveCaller(needs, exchange, service, caller)
  return caller.then((found) => serveCaller(needs, exchange, service, found))
}

function serveCaller(
  needs: Needs,
  exchange: Exchange,
  service: NetworkService,
  caller: Caller | Rejection,
): Response | Promise<Response> {
  if (caller instanceof Rejection) return refuse(needs, exchange, caller)
  const { request, client } = exchange
  const small = isSmall(request)
  const barred =
    authorize(needs, caller, service) ??
    refuseAtEdge(caller, request, client) ??
    notJson(request) ??
    (caller.isDemo && !small ? needs.demo.admitBody(client.address()) : null)
  if (barred) return refuse(needs, exchange, barred, caller)
  return serveBody(needs, exchange, service, caller, small)
}

async function serveBody(
  needs: Needs,
  exchange: Exchange,
  service: NetworkService,
  caller: Caller,
  small: boolean,
): Promise<Response> {
  let text: string | Rejection
  if (small) {
    needs.smallBodies.begun(exchange)
    try {
      text = decodeText(await exchange.request.bytes())
    } catch {
      text = brokeOff()
    }
    needs.smallBodies.ended(exchange)
  } else {
    text = await needs.bodies.text(exchange.request)
  }
  if (text instanceof Rejection) return refuse(needs, exchange, text, caller)

  const body = parseBody(text)
  if (body instanceof Rejection) return refuse(needs, exchange, body, caller)

  const context: RpcContext = {
    caller,
    service,
    clientAddress: exchange.client.address,
    isBatch: body.kind === 'batch',
    held: null,
    trace: exchange.trace,
  }
  try {
    if (body.kind === 'single') {
      const served = serveRpc(needs, context, body.call, service.request)
      const only = served instanceof Promise ? await served : served
      return replyTo(needs, exchange, single(only, caller), context.held)
    }
    const outcome = several(await serveBatch(needs, context, body.calls), caller)
    const response = replyTo(needs, exchange, outcome, context.held)
    const retryAfterS = throttledForS(outcome.replies)
    if (retryAfterS > 0) response.headers.set('retry-after', String(retryAfterS))
    return response
  } catch (bug) {
    context.held?.release()
    throw bug
  }
}

function refuse(
  needs: Needs,
  exchange: Exchange,
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
