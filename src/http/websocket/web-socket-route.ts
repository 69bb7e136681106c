import { Rejection } from '../../core/errors.ts'
import type { Caller } from '../../gateway/app-directory.ts'
import { callerName } from '../../gateway/serve-rpc.ts'
import type { AppConnections } from '../../gateway/subscriptions/app-connections.ts'
import { noteBug, type Telemetry } from '../../ports/telemetry.ts'
import type { Client } from '../edge/client.ts'
import type { RpcTarget } from '../edge/request-target.ts'
import { UNKNOWN_NETWORK } from '../rpc/access-log.ts'
import {
  authorize,
  credentialOf,
  findCaller,
  refuseAtEdge,
  unknownNetwork,
} from '../rpc/find-caller.ts'
import { type HttpExchange, type ReplyNeeds, refuse } from '../rpc/rpc-reply.ts'
import type { RpcRouteNeeds } from '../rpc/rpc-route.ts'
import type { FrameSource } from './serve-frame.ts'
import { type ConnectionNeeds, openSocketConnection } from './socket-connection.ts'
import type { SocketRegistry } from './socket-registry.ts'

/** Takes in the clients of `ws://…/v2/<key>`. */
export type WebSocketRoute = {
  /** Undefined once the request is a WebSocket. */
  open(
    request: Request,
    target: RpcTarget,
    client: Client,
  ): Response | undefined | Promise<Response | undefined>
  /** Has clients connect again elsewhere, before the process ends. */
  stop(graceMs: number): Promise<void>
}

type Needs = RpcRouteNeeds &
  ReplyNeeds &
  ConnectionNeeds & {
    telemetry: Pick<Telemetry, 'log' | 'count'>
    connections: AppConnections
    registry: SocketRegistry
    nextConnectionId(): string
  }

type Asked = { exchange: HttpExchange; target: RpcTarget; credential: string }

const NO_HANDSHAKE = 'This is no WebSocket handshake.'
const STOPPING = 'The service is about to stop; please connect again.'

export function openWebSocketRoute(given: Omit<Needs, 'bug'>): WebSocketRoute {
  // Made once: each connection holds on to it.
  const needs: Needs = { ...given, bug: (thrown) => noteBug(given.telemetry, thrown) }
  return {
    open(request, target, client) {
      const startedAtMs = needs.clock.monotonicMs()
      const credential = credentialOf(request, target)
      const network = needs.networkBySlug(target.slug)?.network.id ?? UNKNOWN_NETWORK
      const exchange = { request, network, trace: null, startedAtMs, client }
      const asked = { exchange, target, credential }
      const caller = findCaller(needs, credential, client)
      if (!(caller instanceof Promise)) return admit(needs, asked, caller)
      return caller.then((found) => admit(needs, asked, found))
    },
    stop: needs.registry.stop,
  }
}

/** Refuses the upgrade with the body that a call over HTTP would get. */
function admit(needs: Needs, asked: Asked, caller: Caller | Rejection): Response | undefined {
  const { exchange, target } = asked
  const { request, client } = exchange
  const service = needs.networkBySlug(target.slug)
  if (!service) return refuse(needs, exchange, unknownNetwork(target.slug))
  if (caller instanceof Rejection) return refuse(needs, exchange, caller)
  const barred = authorize(needs, caller, service) ?? refuseAtEdge(caller, request, client)
  if (barred) return refuse(needs, exchange, barred)
  if (needs.registry.isStopping) {
    return refuse(needs, exchange, new Rejection('overloaded', STOPPING))
  }

  const name = callerName(caller, client)
  const place = needs.connections.take(name)
  if (place instanceof Rejection) return refuse(needs, exchange, place)
  if (connect(needs, asked, { caller, service, name }, place)) return undefined
  place()
  return refuse(needs, exchange, new Rejection('invalid_request', NO_HANDSHAKE))
}

function connect(
  needs: Needs,
  { exchange: { request, client, startedAtMs }, credential, target }: Asked,
  source: Pick<FrameSource, 'caller' | 'service' | 'name'>,
  leave: () => void,
): boolean {
  const { registry } = needs
  const address = client.address()
  const connection = openSocketConnection(needs, {
    ...source,
    ended(reason) {
      leave()
      registry.ended(connection, reason)
    },
  })
  const { slug } = target
  const one = {
    connection,
    id: needs.nextConnectionId(),
    credential,
    edge: { origin: request.headers.get('origin'), address: () => address },
    slug,
    openedAtMs: startedAtMs,
  }
  if (!client.upgrade(connection.listener)) return false
  registry.add(one)
  return true
}
