import { CENTI_PER_CU } from '../core/billing/plan.ts'
import { Failure, Rejection } from '../core/errors.ts'
import { parseBody } from '../core/rpc/jsonrpc.ts'
import type { AppDirectory, Caller } from '../gateway/app-directory.ts'
import { dropReply, replyBody } from '../gateway/reply-body.ts'
import { serveBatch } from '../gateway/serve-batch.ts'
import {
  type RpcContext,
  refused,
  type Served,
  type ServeNeeds,
  serveRpc,
} from '../gateway/serve-rpc.ts'
import type { Clock } from '../ports/clock.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import type { CacheWord, NetworkService } from '../upstream/ask-network.ts'
import { requestAny } from '../upstream/upstream-pool.ts'
import { isJsonType, readText } from './read-body.ts'

export type RpcRouteNeeds = ServeNeeds & {
  clock: Clock
  telemetry: Telemetry
  directory: AppDirectory
  /** Looked up for each request, so that a reload takes effect with the next one. */
  networkBySlug(slug: string): NetworkService | undefined
  nextRequestId(): string
  logRequests: boolean
}

/** Where a request is headed, cut out of its URL. */
export type RpcTarget = { slug: string; key: string }

type Outcome = {
  replies: Served[]
  isBatch: boolean
  status: number
  centiCu: number
  cache: CacheWord | ''
  upstream: string
  caller: Caller | null
}

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'x-headgate-cu, x-headgate-cache, x-headgate-upstream, x-request-id, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset',
}

const NOT_JSON = 'The content-type must be application/json.'

/** Answers `POST {base_url}/v2/<key>`. Hot path. */
export async function serveRpcRoute(
  needs: RpcRouteNeeds,
  request: Request,
  target: RpcTarget,
  clientAddress: () => string,
): Promise<Response> {
  if (request.method === 'OPTIONS') return preflight(request)
  const startedAtMs = needs.clock.monotonicMs()
  const requestId = needs.nextRequestId()
  const outcome = await serve(needs, request, target, clientAddress)
  const parts = outcome.replies.map((served) => served.parts)
  if (request.signal.aborted) dropReply(parts)
  note(needs, target, outcome, requestId, needs.clock.monotonicMs() - startedAtMs)
  return new Response(replyBody(parts, outcome.isBatch), {
    status: outcome.status,
    headers: replyHeaders(outcome, requestId),
  })
}

async function serve(
  needs: RpcRouteNeeds,
  request: Request,
  target: RpcTarget,
  clientAddress: () => string,
): Promise<Outcome> {
  if (request.method !== 'POST') {
    return whole(new Rejection('method_not_allowed', 'JSON-RPC is spoken with POST.'))
  }

  const service = needs.networkBySlug(target.slug)
  if (!service) return whole(unknownNetwork(target.slug))

  const caller = await identify(needs, request, target, service)
  if (caller instanceof Rejection) return whole(caller)

  const mediaType = request.headers.get('content-type')
  if (mediaType !== null && !isJsonType(mediaType)) {
    return whole(new Rejection('unsupported_media_type', NOT_JSON), caller)
  }

  const text = await readText(request)
  if (text instanceof Rejection) return whole(text, caller)

  const body = parseBody(text)
  if (body instanceof Rejection) return whole(body, caller)

  const context: RpcContext = { caller, service, clientAddress }
  if (body.kind === 'batch') {
    const batch = await serveBatch(needs, context, body.calls)
    return { ...batch, replies: batch.members, isBatch: true, status: 200, caller }
  }
  const send = (call: Parameters<typeof requestAny>[1]) => requestAny(service.pool, call)
  const served = await serveRpc(needs, context, body.call, send)
  return { ...served, replies: [served], isBatch: false, caller }
}

async function identify(
  needs: RpcRouteNeeds,
  request: Request,
  target: RpcTarget,
  service: NetworkService,
): Promise<Caller | Rejection> {
  const key = target.key !== '' ? target.key : bearer(request)
  if (key === '') return new Rejection('unauthorized', 'Must be authenticated!')

  const caller = await find(needs, key)
  if (caller instanceof Rejection || caller.isDemo) return caller

  if (!caller.app.isActive) return new Rejection('app_inactive', 'App is inactive.')
  const { id } = service.network
  if (caller.app.networks.includes(id)) return caller
  return new Rejection(
    'network_not_enabled',
    `${id} is not enabled for this app. Visit this page to enable the network: ${needs.publicUrl}/apps/${caller.app.id}`,
  )
}

async function find(needs: RpcRouteNeeds, key: string): Promise<Caller | Rejection> {
  try {
    return await needs.directory.find(key)
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown
    return new Rejection('upstream_failed', 'The key could not be checked; please try again.')
  }
}

function bearer(request: Request): string {
  const header = request.headers.get('authorization') ?? ''
  return /^bearer /i.test(header) ? header.slice(7).trim() : ''
}

function whole(rejection: Rejection, caller: Caller | null = null): Outcome {
  const served = refused('null', '', rejection)
  return { ...served, replies: [served], isBatch: false, caller }
}

function unknownNetwork(slug: string): Rejection {
  const text =
    slug === ''
      ? 'Name the network: POST /<network>/v2/<key>, or use the host <network>.<domain>.'
      : 'There is no such network here; GET /api/networks lists them.'
  return new Rejection('unknown_network', text)
}

function replyHeaders(outcome: Outcome, requestId: string): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'access-control-allow-origin': '*',
    'access-control-expose-headers': CORS['access-control-expose-headers'],
    'x-headgate-cu': cuText(outcome.centiCu),
    'x-request-id': requestId,
  }
  if (outcome.cache !== '') headers['x-headgate-cache'] = outcome.cache
  if (outcome.upstream !== '') headers['x-headgate-upstream'] = outcome.upstream
  const rejection = outcome.isBatch ? null : (outcome.replies[0]?.rejection ?? null)
  return rejection ? { ...headers, ...refusalHeaders(rejection) } : headers
}

function refusalHeaders(rejection: Rejection): Record<string, string> {
  const headers: Record<string, string> = {}
  const { retryAfterS, rateLimit } = rejection.facts
  if (rejection.code === 'method_not_allowed') headers.allow = 'POST, OPTIONS'
  if (retryAfterS !== undefined) headers['retry-after'] = String(retryAfterS)
  if (rateLimit) {
    headers['ratelimit-limit'] = String(rateLimit.limit)
    headers['ratelimit-remaining'] = String(rateLimit.remaining)
    headers['ratelimit-reset'] = String(rateLimit.resetS)
  }
  return headers
}

/** Hundredths printed as units without passing through a fraction. */
function cuText(centiCu: number): string {
  const rest = centiCu % CENTI_PER_CU
  const units = (centiCu - rest) / CENTI_PER_CU
  return rest === 0 ? String(units) : `${units}.${String(rest).padStart(2, '0')}`
}

function preflight(request: Request): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...CORS,
      'access-control-allow-methods': 'POST, OPTIONS',
      'access-control-allow-headers':
        request.headers.get('access-control-request-headers') ?? 'content-type, authorization',
      'access-control-max-age': '86400',
    },
  })
}

function note(
  needs: RpcRouteNeeds,
  target: RpcTarget,
  outcome: Outcome,
  requestId: string,
  tookMs: number,
): void {
  const { telemetry } = needs
  const network = needs.networkBySlug(target.slug)?.network.id ?? 'unknown'
  for (const served of outcome.replies) {
    const method = served.method === '' ? 'none' : served.method
    telemetry.count('headgate_rpc_calls_total', { network, method, outcome: outcomeWord(served) })
  }
  telemetry.observeMs('headgate_rpc_request_ms', { network }, tookMs)
  if (!needs.logRequests) return
  const [first] = outcome.replies
  telemetry.log('info', 'rpc', {
    request: requestId,
    network,
    app: outcome.caller?.app.id ?? null,
    method: outcome.isBatch ? 'batch' : (first?.method ?? ''),
    calls: outcome.replies.length,
    status: outcome.status,
    error: outcome.isBatch ? 0 : (first?.errorCode ?? 0),
    cu: outcome.centiCu / CENTI_PER_CU,
    cache: outcome.cache,
    upstream: outcome.upstream,
    ms: Math.round(tookMs * 100) / 100,
  })
}

function outcomeWord(served: Served): string {
  if (served.rejection) return served.rejection.code
  return served.errorCode === 0 ? 'ok' : 'node_error'
}
