import type { Settings } from './config.ts'
import { apiRouter } from './http/api-router.ts'
import { docsPage } from './http/docs-page.ts'
import { openDryRunTurns } from './http/dry-run-turns.ts'
import { homePage } from './http/home-page.ts'
import { healthz, metrics, readyz } from './http/probes.ts'
import { type RpcRouteNeeds, serveRpcRoute } from './http/rpc-route.ts'
import type { Routes } from './http/server.ts'
import { openTestSends } from './http/test-sends.ts'
import type { NetworkSet } from './network-set.ts'
import type { World } from './world.ts'

/** What the service is put together from. */
export type Given = {
  world: World
  settings: Settings
  networks: NetworkSet
  publicUrl: string
}

type NetworkReports = Parameters<typeof apiRouter>[0]['networkReport']

/** What is answered where: the RPC endpoint, the management API, pages and probes. */
export function makeRoutes(
  { world, settings, networks, publicUrl }: Given,
  rpc: RpcRouteNeeds,
  networkReport: NetworkReports,
): Routes {
  const { clock, database, egress, entropy, secrets, signals, telemetry } = world
  const listed = () => networks.list().map(({ network }) => network)
  const probed = { clock, database, telemetry, networks: networks.list }
  const pages = { publicUrl, networks: listed, demoKey: settings.demoKey }
  return {
    rpc: (request, target, address) => serveRpcRoute(rpc, request, target, address),
    api: apiRouter({
      clock,
      database,
      egress,
      entropy,
      secrets,
      telemetry,
      publicUrl,
      tiers: settings.tiers,
      networks: listed,
      services: networks.list,
      dryRuns: openDryRunTurns({ clock }),
      testSends: openTestSends({ clock }),
      attempt: (request) => egress.post({ ...request, timeoutMs: settings.webhooks.timeoutMs }),
      networkReport,
      accountsChanged: () => signals.publish('accounts', ''),
      webhooksChanged: (webhookId = '') => signals.publish('webhooks', webhookId),
    }),
    pages: new Map<string, () => Response | Promise<Response>>([
      ['/', () => homePage(pages)],
      ['/docs', () => docsPage(pages)],
      ['/healthz', healthz],
      ['/readyz', () => readyz(probed)],
      ['/metrics', () => metrics(probed)],
    ]),
  }
}
