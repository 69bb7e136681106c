import { Failure, Rejection } from '../../core/errors.ts'
import { parseBody } from '../../core/rpc/jsonrpc.ts'
import type { AppDirectory, Caller } from '../../gateway/app-directory.ts'
import { type ServedBatch, serveBatch } from '../../gateway/serve-batch.ts'
import {
  type RpcContext,
  refused,
  type Served,
  type ServeNeeds,
  serveRpc,
} from '../../gateway/serve-rpc.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import { brokeOff, decodeText, isJsonType, type RequestBodies } from '../edge/request-bodies.ts'
import { isSmall, type SmallBodies } from '../edge/small-bodies.ts'
import { preflightReply, traceOf } from './rpc-headers.ts'
import { type Asked as AskedReply, type Outcome, type ReplyNeeds, replyTo } from './rpc-reply.ts'

export type RpcRouteNeeds = ServeNeeds &
  ReplyNeeds & {
    bodies: RequestBodies
    smallBodies: SmallBodies
    directory: AppDirectory
    /** Looked up for each request, so that a reload takes effect with the next one. */
    networkBySlug(slug: string): NetworkService | undefined
    nextSpanId(): string
  }

/** Where a request is headed, cut out of its URL. */
export type RpcTarget = { slug: string; key: string }

/** Who is at the other end of the connection. */
export type Client = {
  address(): string
  /** Ends the connection, within seconds. */
  cut(): void
  /** Few requests are open at the server. */
  isQuiet(): boolean
}

type Asked = AskedReply & { client: Client }

const NOT_JSON = 'The content-type must be application/json.'

/** Answers `POST {base_url}/v2/<key>`. Hot path: as few promises as it can do with. */
export function serveRpcRoute(
  needs: RpcRouteNeeds,
  request: Request,
  target: RpcTarget,
  client: Client,
): Response | Promise<Response> {
  if (request.method === 'OPTIONS') return preflightReply(request)
  const startedAtMs = needs.clock.monotonicMs()
  const service = needs.networkBySlug(target.slug)
  const trace = traceOf(request, needs.nextSpanId)
  const asked = { request, networkId: service?.network.id, trace, startedAtMs, client }

  if (request.method !== 'POST') {
    const rejection = new Rejection('method_not_allowed', 'JSON-RPC is spoken with POST.')
    return refuse(needs, asked, rejection)
  }
  if (!service) return refuse(needs, asked, unknownNetwork(target.slug))

  const caller = find(needs, target.key !== '' ? target.key : bearer(request))
  if (!(caller instanceof Promise)) return serveCaller(needs, asked, service, caller)
  return caller.then((found) => serveCaller(needs, asked, service, found))
}

function serveCaller(
  needs: RpcRouteNeeds,
  asked: Asked,
  service: NetworkService,
  caller: Caller | Rejection,
): Response | Promise<Response> {
  if (caller instanceof Rejection) return refuse(needs, asked, caller)
  const { request, client } = asked
  const small = isSmall(request)
  const barred =
    notFor(needs, caller, service) ??
    notJson(request) ??
    (caller.isDemo && !small ? needs.demo.admitBody(client.address()) : null)
  if (barred) return refuse(needs, asked, barred, caller)
  return serveBody(needs, asked, service, caller, small)
}

async function serveBody(
  needs: RpcRouteNeeds,
  asked: Asked,
  service: NetworkService,
  caller: Caller,
  small: boolean,
): Promise<Response> {
  let text: string | Rejection
  if (small) {
    needs.smallBodies.begun(asked)
    try {
      text = decodeText(await asked.request.bytes())
    } catch {
      text = brokeOff()
    }
    needs.smallBodies.ended(asked)
  } else {
    text = await needs.bodies.text(asked.request)
  }
  if (text instanceof Rejection) return refuse(needs, asked, text, caller)

  const body = parseBody(text)
  if (body instanceof Rejection) return refuse(needs, asked, body, caller)

  const context: RpcContext = {
    caller,
    service,
    clientAddress: asked.client.address,
    isBatch: body.kind === 'batch',
    held: null,
    trace: asked.trace,
  }
  try {
    if (body.kind === 'single') {
      const served = serveRpc(needs, context, body.call, service.request)
      const only = served instanceof Promise ? await served : served
      return replyTo(needs, asked, single(only, caller), context.held)
    }
    const outcome = several(await serveBatch(needs, context, body.calls), caller)
    const response = replyTo(needs, asked, outcome, context.held)
    const retryAfterS = throttledForS(outcome.replies)
    if (retryAfterS > 0) response.headers.set('retry-after', String(retryAfterS))
    return response
  } catch (bug) {
    context.held?.release()
    throw bug
  }
}

/** Refuses the whole request. */
function refuse(
  needs: RpcRouteNeeds,
  asked: Asked,
  rejection: Rejection,
  caller: Caller | null = null,
): Response {
  return replyTo(needs, asked, single(refused('null', '', rejection), caller), null)
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

function find(needs: RpcRouteNeeds, key: string): Caller | Rejection | Promise<Caller | Rejection> {
  if (key === '') return new Rejection('unauthorized', 'Must be authenticated!')
  const found = needs.directory.find(key)
  return found instanceof Promise ? found.catch(keyUnchecked) : found
}

function keyUnchecked(thrown: unknown): Rejection {
  if (!(thrown instanceof Failure)) throw thrown
  return new Rejection('upstream_failed', 'The key could not be checked; please try again.')
}

function notFor(needs: RpcRouteNeeds, caller: Caller, service: NetworkService): Rejection | null {
  if (caller.isDemo) return null
  if (!caller.app.isActive) return new Rejection('app_inactive', 'App is inactive.')
  const { id } = service.network
  if (caller.app.networks.includes(id)) return null
  return new Rejection(
    'network_not_enabled',
    `${id} is not enabled for this app. Visit this page to enable the network: ${needs.publicUrl}/apps/${caller.app.id}`,
  )
}

function bearer(request: Request): string {
  const header = request.headers.get('authorization') ?? ''
  return /^bearer /i.test(header) ? header.slice(7).trim() : ''
}

function single(served: Served, caller: Caller | null): Outcome {
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

function several(batch: ServedBatch, caller: Caller): Outcome {
  const { members, centiCu, cache, upstream } = batch
  const facts = { centiCu, cache, upstream, rejection: null, caller }
  return { replies: members, isBatch: true, status: 200, ...facts }
}

function unknownNetwork(slug: string): Rejection {
  const text =
    slug === ''
      ? 'Name the network: POST /<network>/v2/<key>, or use the host <network>.<domain>.'
      : 'There is no such network here; GET /api/networks lists them, with a token.'
  return new Rejection('unknown_network', text)
}
