import { openAppConnections } from '../../gateway/subscriptions/app-connections.ts'
import { openFrameMemo } from '../../gateway/subscriptions/frame-memo.ts'
import { authorize, findCaller } from '../../http/rpc/find-caller.ts'
import { openReplyHeaders } from '../../http/rpc/rpc-headers.ts'
import type { RpcRouteNeeds } from '../../http/rpc/rpc-route.ts'
import { openFrameFlusher } from '../../http/websocket/outgoing.ts'
import { openSocketRegistry } from '../../http/websocket/socket-registry.ts'
import { openWebSocketRoute, type WebSocketRoute } from '../../http/websocket/web-socket-route.ts'
import type { Drivers } from '../drivers.ts'
import type { RpcInputs } from '../service-inputs.ts'
import { openSubscriptionSources } from './subscription-sources.ts'

type Inputs = Pick<RpcInputs, 'settings' | 'networks'> & {
  drivers: Pick<Drivers, 'clock' | 'entropy' | 'sockets' | 'telemetry'>
}

/** Opens the endpoint for WebSocket clients, over what calls are served with. */
export function openWebSockets(
  { drivers, settings, networks }: Inputs,
  rpc: RpcRouteNeeds,
  opened: AsyncDisposableStack,
): WebSocketRoute {
  const { entropy, telemetry } = drivers
  const { limits } = settings
  const sources = openSubscriptionSources(drivers, networks)
  opened.defer(sources.stop)
  const registry = openSocketRegistry({
    ...rpc,
    telemetry,
    findCaller: (credential, address) => findCaller(rpc, credential, address),
    authorize: (caller, service) => authorize(rpc, caller, service),
  })
  return openWebSocketRoute({
    ...rpc,
    telemetry,
    registry,
    replyHeaders: openReplyHeaders(),
    flusher: openFrameFlusher(),
    connections: openAppConnections(() => limits.appWebSocketsMax),
    sourceOf: sources.of,
    subscriptionsMax: () => limits.subscriptionsMax,
    frameOf: openFrameMemo(),
    notified: (network, notification) =>
      telemetry.count('headgate_subscription_notifications_total', { network, notification }),
    nextConnectionId: () => `ws_${entropy.alphanumeric(12)}`,
  })
}
