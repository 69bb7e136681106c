import type { Settings } from '../config/config.ts'
import { absentApiRole, absentGatewayRole } from '../http/api/absent-role.ts'
import { apiRouter } from '../http/api/api-router.ts'
import { openCallLimits } from '../http/api/call-limits.ts'
import { openApiReply } from '../http/pages/open-api-reply.ts'
import { openRpcRoute, type RpcRouteNeeds } from '../http/rpc/rpc-route.ts'
import type { Routes } from '../http/server.ts'
import type { NetworkSet } from './networks/network-set.ts'
import { makePages } from './pages.ts'
import type { World } from './world.ts'

export { openEdgeLimits } from '../config/edge-limits.ts'

/** What the service is put together from. */
export type Given = {
  world: World
  settings: Settings
  networks: NetworkSet
  publicUrl: string
  /** The follower of that network, where this process has one, is behind its head. */
  isBehind(networkId: string): boolean
}

type NetworkReports = Parameters<typeof apiRouter>[0]['networkReport']

/** What is answered where: the RPC endpoint, the management API, pages and probes. */
export function makeRoutes(
  given: Given,
  rpc: RpcRouteNeeds,
  networkReport: NetworkReports,
): { main: Routes; forMetrics: Routes | null } {
  const { settings } = given
  const { pages, probes, metrics } = makePages(given)
  const apart = settings.metrics.listen !== undefined
  const has = (role: Settings['roles'][number]) => settings.roles.includes(role)
  return {
    main: {
      rpc: has('gateway') ? openRpcRoute(rpc) : absentGatewayRole,
      api: has('api') ? management(given, rpc.bodies, networkReport) : absentApiRole,
      pages: new Map([...(has('api') ? pages : []), ...probes, ...(apart ? [] : metrics)]),
    },
    forMetrics: apart
      ? { rpc: absentGatewayRole, api: absentApiRole, pages: new Map([...probes, ...metrics]) }
      : null,
  }
}

function management(
  { world, settings, networks, publicUrl }: Given,
  bodies: RpcRouteNeeds['bodies'],
  networkReport: NetworkReports,
): Routes['api'] {
  const { clock, database, egress, entropy, secrets, signals, storeHealth, telemetry } = world
  return apiRouter({
    clock,
    bodies,
    database,
    egress,
    entropy,
    secrets,
    isDiskLow: () => storeHealth.room().isLow,
    telemetry,
    publicUrl,
    tokenHeaders: settings.tokenHeaders,
    openApi: openApiReply(publicUrl, settings.tokenHeaders),
    tiers: settings.tiers,
    networks: () => networks.list().map(({ network }) => network),
    services: networks.list,
    ...openCallLimits({ clock }),
    attempt: (request) => egress.post({ ...request, timeoutMs: settings.webhooks.timeoutMs }),
    networkReport,
    accountsChanged: () => signals.publish('accounts', ''),
    webhooksChanged: (webhookId = '') => signals.publish('webhooks', webhookId),
  })
}
