import { Rejection } from '../core/errors.ts'
import { rejectionReply } from '../core/rpc/jsonrpc.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import type { RpcTarget } from './rpc-route.ts'

export type Routes = {
  rpc(request: Request, target: RpcTarget, clientAddress: () => string): Promise<Response>
  api(request: Request, path: string, clientAddress: string): Promise<Response>
  /** Pages and probes, by exact path; GET only. */
  pages: ReadonlyMap<string, () => Response | Promise<Response>>
}

type ServerNeeds = {
  telemetry: Telemetry
  host: string
  port: number
  trustProxy: boolean
  /** Below it, the first label of the host names the network. Known once the port is. */
  domain(): string
  /** Null while the service is still opening. */
  routes(): Routes | null
}

export type HttpServer = {
  port: number
  /** Stops accepting, waits for what is in flight, at most `graceMs`. */
  stop(graceMs: number, sleep: (ms: number) => Promise<void>): Promise<void>
}

/** Longer than any handler may wait; Bun counts that time as idle too. */
const IDLE_TIMEOUT_S = 120

/** Above our own limits, so that their refusals are worded by us. */
const BODY_BYTES_MAX = 128 * 1024 * 1024

const STOP_LOOK_MS = 20

/** Takes requests off the wire and hands each to its route. */
export function startServer(needs: ServerNeeds): HttpServer {
  const server = Bun.serve({
    hostname: needs.host,
    port: needs.port,
    // Written out because `development: false` turns the shared port on.
    reusePort: false,
    development: false,
    idleTimeout: IDLE_TIMEOUT_S,
    maxRequestBodySize: BODY_BYTES_MAX,
    fetch: (request, socket) => {
      const address = () => clientAddress(needs, request, socket.requestIP(request)?.address)
      return route(needs, request, address)
    },
    error: (bug) => reportBug(needs.telemetry, bug),
  })
  return {
    port: server.port ?? needs.port,
    async stop(graceMs, sleep) {
      void server.stop()
      // The server's own count holds an answer until its last byte is written, streams too.
      const busy = () => server.pendingRequests > 0
      for (let waitedMs = 0; busy() && waitedMs < graceMs; waitedMs += STOP_LOOK_MS) {
        await sleep(STOP_LOOK_MS)
      }
      await server.stop(true)
    },
  }
}

function route(
  needs: ServerNeeds,
  request: Request,
  address: () => string,
): Response | Promise<Response> {
  const routes = needs.routes()
  if (!routes) return new Response('starting', { status: 503 })
  // Cut by hand: parsing the URL costs more than the rest of this function.
  const { url } = request
  // Without a usable Host header, as in HTTP/1.0, the URL is the bare path.
  const hostStart = url.startsWith('/') ? 0 : url.indexOf('//') + 2
  const pathStart = url.indexOf('/', hostStart)
  const queryStart = url.indexOf('?', pathStart)
  const path = queryStart < 0 ? url.slice(pathStart) : url.slice(pathStart, queryStart)

  const target = rpcTarget(path, () => hostSlug(url.slice(hostStart, pathStart), needs.domain()))
  if (target) return routes.rpc(request, target, address)
  if (path.startsWith('/api/')) return routes.api(request, path, address())
  const page = routes.pages.get(path)
  if (!page) return plain(404, 'not found')
  if (request.method === 'GET' || request.method === 'HEAD') return page()
  return plain(405, 'method not allowed', { allow: 'GET, HEAD' })
}

/** `/v2/<key>` with the network in the host, or `/<network>/v2/<key>`. */
function rpcTarget(path: string, slugOfHost: () => string): RpcTarget | null {
  if (path === '/v2' || path.startsWith('/v2/')) {
    return { slug: slugOfHost(), key: keyOf(path.slice(4)) }
  }
  const second = path.indexOf('/', 1)
  if (second < 0) return null
  const rest = path.slice(second)
  if (rest !== '/v2' && !rest.startsWith('/v2/')) return null
  return { slug: path.slice(1, second), key: keyOf(rest.slice(4)) }
}

function keyOf(text: string): string {
  return text.endsWith('/') ? text.slice(0, -1) : text
}

function hostSlug(host: string, domain: string): string {
  const colon = host.lastIndexOf(':')
  const name = (colon > host.indexOf(']') ? host.slice(0, colon) : host).toLowerCase()
  if (!name.endsWith(`.${domain}`)) return ''
  return name.slice(0, -domain.length - 1)
}

/** Behind a trusted proxy, the hop it added last is the only one nobody else can write. */
function clientAddress(needs: ServerNeeds, request: Request, peer: string | undefined): string {
  const hops = needs.trustProxy ? request.headers.get('x-forwarded-for') : null
  return hops?.split(',').at(-1)?.trim() || peer || 'unknown'
}

/** A bug of ours ends one request, not the service: hostile input must not find an off switch. */
function reportBug(telemetry: Telemetry, bug: unknown): Response {
  const name = bug instanceof Error ? bug.name : 'unknown'
  const at = bug instanceof Error ? (bug.stack ?? '').split('\n').slice(1, 4).join(' ') : ''
  telemetry.log('error', 'bug', { name, at: at.replace(/\s+/g, ' ').slice(0, 500) })
  telemetry.count('headgate_bugs_total', {})
  const rejection = new Rejection('upstream_failed', 'Internal error.')
  const body = rejectionReply('null', rejection)
  return new Response(body, { status: 500, headers: { 'content-type': 'application/json' } })
}

function plain(status: number, text: string, headers: Record<string, string> = {}): Response {
  return new Response(`${text}\n`, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
  })
}
