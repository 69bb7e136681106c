import type { Settings } from '../config/config.ts'
import type { SubscriptionSource } from '../core/rpc/subscription-source.ts'
import { openAppDirectory } from '../gateway/app-directory.ts'
import { openDemoLimiter } from '../gateway/demo-limiter.ts'
import { openMonotonicHeights } from '../gateway/monotonic-heights.ts'
import { openReaderWatch } from '../gateway/reader-watch.ts'
import { openAppConnections } from '../gateway/subscriptions/app-connections.ts'
import { openEvmSubscriptions } from '../gateway/subscriptions/evm/evm-subscriptions.ts'
import { openFrameMemo } from '../gateway/subscriptions/frame-memo.ts'
import { openSolanaSubscriptions } from '../gateway/subscriptions/solana/solana-subscriptions.ts'
import { openUnreadBudget } from '../gateway/unread-budget.ts'
import { openRequestBodies, openSmallBodies } from '../http/edge/request-bodies.ts'
import { openAccessLog } from '../http/rpc/access-log.ts'
import { openJwtCallers } from '../http/rpc/jwt-callers.ts'
import { openReplyHeaders } from '../http/rpc/rpc-headers.ts'
import { openRpcRoute, type RpcRouteNeeds } from '../http/rpc/rpc-route.ts'
import { openFrameFlusher } from '../http/websocket/outgoing.ts'
import { openSocketRegistry } from '../http/websocket/socket-registry.ts'
import { openWebSocketRoute, type WebSocketRoute } from '../http/websocket/web-socket-route.ts'
import { openCallFigures } from '../metering/call-figures.ts'
import type { LimitExchange } from '../metering/limit-exchange.ts'
import { openSpendGuard } from '../metering/spend-guard.ts'
import { openUsageMeter } from '../metering/usage-meter.ts'
import type { Sockets } from '../ports/sockets.ts'
import type { World } from '../ports/world.ts'
import { recordUsage } from '../tables/usage/usage.ts'
import type { NetworkService } from '../upstream/answers/ask-network.ts'
import { takeNodeFigures } from '../upstream/answers/node-figures.ts'
import type { NetworkSet } from './networks/network-set.ts'

type RpcInputs = {
  /** `exchange` shares limits with other processes; null where none serves. */
  drivers: World & { sockets: Sockets; exchange: LimitExchange | null }
  settings: Settings
  networks: NetworkSet
  publicUrl: string
  /** Methods that this process answers itself. */
  local: RpcRouteNeeds['local']
}

type OpenSource = SubscriptionSource & { stop(reason: string): void }

/** By the W3C's Trace Context. */
const SPAN_ID_BYTES = 8

const CHANGED = 'The network was configured anew; please connect again.'

const STOPPED = 'The service is about to stop; please connect again.'

export function openRpcEndpoints(inputs: RpcInputs, opened: AsyncDisposableStack) {
  const { drivers, settings, networks, publicUrl } = inputs
  const { clock, entropy, exchange } = drivers
  const { guard, meter, figures } = openMetering(inputs, opened)
  const demo = openDemoLimiter(clock, publicUrl, exchange)
  opened.defer(demo.stop)
  const directory = openAppDirectory(drivers, guard, () => settings.demoKey)
  opened.defer(directory.stop)
  const heights = openMonotonicHeights(drivers)
  opened.defer(heights.stop)
  const needs: RpcRouteNeeds = {
    clock,
    ...openEdgeLimits(inputs),
    accessLog: openAccessLog(drivers, figures, settings.log.requests),
    guard,
    meter,
    directory,
    jwtCallers: openJwtCallers({ clock, directory, publicUrl }),
    publicUrl,
    // The same in all processes: an id that one of them gave out is good at the others.
    filterSecret: drivers.secrets.derive('ids of filters'),
    demo,
    heights,
    local: inputs.local,
    networkBySlug: networks.bySlug,
    replyHeaders: openReplyHeaders(),
    nextSpanId: () => Buffer.from(entropy.bytes(SPAN_ID_BYTES)).toString('hex'),
  }
  return {
    needs,
    open: () => ({
      rpc: openRpcRoute(needs),
      webSockets: openWebSockets(inputs, needs, opened),
    }),
  }
}

function openMetering(inputs: RpcInputs, opened: AsyncDisposableStack) {
  const { drivers, settings, networks, publicUrl } = inputs
  const { exchange } = drivers
  const guard = openSpendGuard(drivers, { tiers: settings.tiers, publicUrl, exchange })
  opened.defer(guard.stop)
  const figures = openCallFigures(drivers.clock, () => takeNodeFigures(networks.list()))
  if (exchange) opened.defer(networks.spends.share(exchange))
  const meter = openUsageMeter(drivers, {
    exchange,
    figures,
    spends: networks.spends,
    record: (batch) => recordUsage(drivers.database, batch),
    writer: `writer_${drivers.entropy.alphanumeric(16)}`,
    refresh: guard.refresh,
  })
  opened.defer(() => {
    meter.stop()
    return meter.flush()
  })
  return { guard, meter, figures }
}

/**
 * Limits on requests on their way in and answers on their way out, for all clients together.
 * The limits are read each time, since a reload may change them.
 */
function openEdgeLimits({ drivers: { clock }, settings: { limits } }: RpcInputs) {
  return {
    bodies: openRequestBodies({
      clock,
      get bytesMax() {
        return limits.bodiesBytesMax
      },
      get deadlineMs() {
        return limits.bodyMs
      },
    }),
    smallBodies: openSmallBodies(clock, () => limits.bodyMs),
    answers: openUnreadBudget(() => limits.unreadBytesMax),
    readers: openReaderWatch(clock, () => limits.unreadMs),
  }
}

function openWebSockets(
  { drivers, settings: { limits }, networks }: RpcInputs,
  rpc: RpcRouteNeeds,
  opened: AsyncDisposableStack,
): WebSocketRoute {
  const { entropy, telemetry } = drivers
  const sources = openSubscriptionSources(drivers, networks)
  opened.defer(sources.stop)
  const registry = openSocketRegistry({ ...rpc, telemetry })
  return openWebSocketRoute({
    ...rpc,
    telemetry,
    registry,
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

/** Keeps one source for each network that somebody has subscribed to, through reloads too. */
function openSubscriptionSources(world: World & { sockets: Sockets }, networks: NetworkSet) {
  const open = new Map<NetworkService, OpenSource>()

  const unsubscribe = networks.subscribe(() => {
    const served: readonly NetworkService[] = networks.list()
    for (const [service, source] of open) {
      if (served.includes(service)) continue
      open.delete(service)
      source.stop(CHANGED)
    }
  })

  return {
    /** The source of a network that is served; null once it is not. */
    of(service: NetworkService): SubscriptionSource | null {
      const known = open.get(service)
      if (known !== undefined) return known
      // A call may hold on to a network that was just replaced.
      if (!(networks.list() as readonly NetworkService[]).includes(service)) return null
      const isEvm = service.network.kind === 'evm'
      const source = (isEvm ? openEvmSubscriptions : openSolanaSubscriptions)(world, service)
      open.set(service, source)
      return source
    },
    stop() {
      unsubscribe()
      for (const source of open.values()) source.stop(STOPPED)
      open.clear()
    },
  }
}
