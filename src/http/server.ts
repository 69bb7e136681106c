import type { BunRequest, Server } from 'bun'
import type { Clock } from '../ports/clock.ts'
import type { Descriptors } from '../ports/descriptors.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import type { ApiRouter } from './api/api-router.ts'
import { bugReply } from './edge/bug-reply.ts'
import type { Client } from './edge/client.ts'
import { limitConnections } from './edge/connection-limit.ts'
import { forwardedAddress } from './edge/forwarded-address.ts'
import {
  type AskedPath,
  isResolved,
  isRespelled,
  pathPatterns,
  rpcTarget,
  TOO_DEEP,
  UNROUTED,
  urlPath,
} from './edge/request-target.ts'
import type { RpcRoute } from './rpc/rpc-route.ts'
import { type ServerSocketListener, SOCKET_HANDLERS } from './websocket/socket-handlers.ts'
import type { WebSocketRoute } from './websocket/web-socket-route.ts'

export type Routes = {
  rpc: RpcRoute
  /** The same addresses over WebSocket; null where calls are not served. */
  webSockets: WebSocketRoute | null
  api: ApiRouter
  /** Pages and probes; `/apps/*` is every path of that form. GET only. */
  pages: { get(path: string): Page | undefined }
  /** The receivers of local development, by what stands behind `/inbox/`; null elsewhere. */
  inbox: InboxRoute | null
}

export type InboxRoute = (request: Request, name: string) => Response | Promise<Response>

export type Page = (headers: Headers) => Response | Promise<Response>

type ServerNeeds = {
  clock: Pick<Clock, 'every' | 'sleep'>
  telemetry: Telemetry
  /** Null where no more than a few connect. */
  descriptors: Descriptors | null
  host: string
  port: number
  /** Other processes listen on the same port, and the system spreads connections over all. */
  isShared?: boolean
  /** The path of a socket to listen on instead, for processes of ours. */
  socket?: string
  /** Trusted to name the client: what comes here was passed on by a process of ours. */
  addressHeader?: string
  connectionsMax?: number | undefined
  trustProxy: boolean
  /** Below it, the first label of the host names the network. Known once the port is. */
  domain(): string
  /** Null while the service is still opening. */
  routes(): Routes | null
}

export type HttpServer = {
  port: number
  /** Stops accepting, waits for what is in flight, at most `graceMs`. */
  stop(graceMs: number): Promise<void>
}

type BunServer = Server<ServerSocketListener>

/** Longer than any handler may wait; Bun counts that time as idle too. */
const IDLE_TIMEOUT_S = 120

/** Above our own limits, so that their refusals are worded by us. */
const BODY_BYTES_MAX = 128 * 1024 * 1024

const STOP_LOOK_MS = 20

const INBOX = '/inbox/'

/** At 8 MiB each, what so many clients leave unread is a fraction of the budget for that. */
const QUIET_REQUESTS_MAX = 16

/** The shortest time of silence after which the runtime ends a connection. */
const CUT_S = 1

export function startServer(needs: ServerNeeds): HttpServer {
  let listening = listen(needs, needs.port)
  const port = listening.port ?? needs.port
  // Servers that no longer accept connections, until their last one is closed.
  const closing = new Set<BunServer>([])

  const close = (server: BunServer) => {
    closing.add(server)
    void server.stop().then(() => closing.delete(server))
  }

  const reopen = () => {
    try {
      listening = listen(needs, port)
      return true
    } catch {
      return false
    }
  }
  const { descriptors, connectionsMax, clock, telemetry } = needs
  const gate = { clock, telemetry, connectionsMax, close: () => close(listening), open: reopen }
  const endGate = descriptors ? limitConnections({ ...gate, descriptors }) : () => {}

  return {
    port,
    async stop(graceMs) {
      endGate()
      close(listening)
      // A WebSocket never ends by itself: its client is told to connect again.
      const told = needs.routes()?.webSockets?.stop(graceMs)
      // The server's own count holds an answer until its last byte is written, streams too.
      const busy = () => [...closing].some((server) => server.pendingRequests > 0)
      for (let waitedMs = 0; busy() && waitedMs < graceMs; waitedMs += STOP_LOOK_MS) {
        await needs.clock.sleep(STOP_LOOK_MS)
      }
      await told
      await Promise.all([...closing].map((server) => server.stop(true)))
    },
  }
}

/** A class, since five functions made anew for each request cost more than its routing. */
class RequestClient implements Client {
  readonly needs: ServerNeeds
  readonly request: Request
  readonly server: BunServer

  constructor(needs: ServerNeeds, request: Request, server: BunServer) {
    this.needs = needs
    this.request = request
    this.server = server
  }

  address(): string {
    return clientAddress(this.needs, this.request, this.server.requestIP(this.request)?.address)
  }

  cut(): void {
    // The runtime has no other way to end a connection that takes no more bytes.
    this.server.timeout(this.request, CUT_S)
  }

  hold(): void {
    this.server.timeout(this.request, 0)
  }

  isQuiet(): boolean {
    return this.server.pendingRequests <= QUIET_REQUESTS_MAX
  }

  upgrade(listener: ServerSocketListener): boolean {
    return this.server.upgrade(this.request, { data: listener })
  }
}

function listen(needs: ServerNeeds, port: number): BunServer {
  const handler = (asked: AskedPath) => (request: Request, server: BunServer) =>
    route(needs, request, asked, new RequestClient(needs, request, server))
  const routed = pathPatterns().map(({ pattern, asked }) => [pattern, handler(asked)])
  // Written out because `development: false` turns the shared port on.
  const reusePort = needs.isShared === true
  const { socket: unix } = needs
  return Bun.serve<ServerSocketListener>({
    // The runtime heeds the idle timeout of sockets too, which its types do not know.
    ...((unix === undefined ? { hostname: needs.host, port, reusePort } : { unix }) as {
      hostname: string
      port: number
      reusePort: boolean
    }),
    development: false,
    idleTimeout: IDLE_TIMEOUT_S,
    maxRequestBodySize: BODY_BYTES_MAX,
    routes: { ...Object.fromEntries(routed), [TOO_DEEP]: () => plain(404, 'not found') },
    fetch: handler(UNROUTED),
    websocket: SOCKET_HANDLERS,
    error: (bug) => bugReply(needs.telemetry, bug),
  })
}

function route(
  needs: ServerNeeds,
  request: Request,
  asked: AskedPath,
  client: Client,
): Response | undefined | Promise<Response | undefined> {
  const routes = needs.routes()
  if (!routes) return plain(503, 'starting')
  // The runtime joins repeated headers, and no host has a comma.
  if (request.headers.get('host')?.includes(',')) return plain(400, 'more than one Host header')
  const { url } = request
  const path = urlPath(url)
  // Nothing of ours has an empty segment, sent or resolved.
  if (isResolved(path, asked)) return path.includes('//') ? plain(404, 'not found') : oddPath()

  // Before calls, since an inbox may be called v2.
  if (routes.inbox !== null && path.startsWith(INBOX)) {
    const { params } = request as BunRequest
    if (asked !== UNROUTED && isRespelled(path, asked, params)) return oddPath()
    return routes.inbox(request, path.slice(INBOX.length))
  }
  const target = rpcTarget(url, path, needs.domain)
  if (target) {
    if (routes.webSockets === null || !isUpgrade(request)) {
      return routes.rpc(request, target, client)
    }
    return routes.webSockets.open(request, target, client)
  }
  if (asked === UNROUTED) return plain(404, 'not found')
  if (isRespelled(path, asked, (request as BunRequest).params)) return oddPath()

  if (path.startsWith('/api/')) return routes.api(request, path, client)
  const page = routes.pages.get(path) ?? routes.pages.get(anyWithin(path))
  if (!page) return plain(404, 'not found')
  if (request.method === 'GET' || request.method === 'HEAD') return page(request.headers)
  return plain(405, 'method not allowed', { allow: 'GET, HEAD' })
}

function isUpgrade(request: Request): boolean {
  return request.method === 'GET' && request.headers.get('upgrade')?.toLowerCase() === 'websocket'
}

/** `/apps/*` for `/apps/app_1`: one page shows them all. */
function anyWithin(path: string): string {
  return `${path.slice(0, path.lastIndexOf('/'))}/*`
}

/** A proxy that guards a path in front of us must be able to tell it from the target alone. */
function oddPath(): Response {
  return plain(400, 'dot segments, backslashes and broken escapes are not taken in a path')
}

function clientAddress(needs: ServerNeeds, request: Request, peer: string | undefined): string {
  if (needs.addressHeader !== undefined) return request.headers.get(needs.addressHeader) ?? ''
  const forwarded = needs.trustProxy ? request.headers.get('x-forwarded-for') : null
  return forwardedAddress(forwarded) ?? peer ?? 'unknown'
}

function plain(status: number, text: string, headers: Record<string, string> = {}): Response {
  return new Response(`${text}\n`, {
    status,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
  })
}
