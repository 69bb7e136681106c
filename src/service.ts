import type { Settings } from './config.ts'
import { openAppDirectory } from './gateway/app-directory.ts'
import { openDemoLimiter } from './gateway/demo-limiter.ts'
import { openSteadyHeights } from './gateway/steady-height.ts'
import { apiRouter } from './http/api-router.ts'
import { docsPage } from './http/docs-page.ts'
import { homePage } from './http/home-page.ts'
import { healthz, metrics, readyz } from './http/probes.ts'
import { openRpcNotes } from './http/rpc-notes.ts'
import { type RpcRouteNeeds, serveRpcRoute } from './http/rpc-route.ts'
import type { Routes } from './http/server.ts'
import { openSpendGuard } from './metering/spend-guard.ts'
import { openUsageMeter } from './metering/usage-meter.ts'
import type { NetworkSet } from './network-set.ts'
import { networkReport } from './upstream/network-report.ts'
import type { World } from './world.ts'

export type Service = {
  routes: Routes
  /** Writes what is still metered in memory, then lets go of the world. */
  stop(): Promise<void>
}

type Given = {
  world: World
  settings: Settings
  networks: NetworkSet
  publicUrl: string
}

/** Puts the engines together over a world; knows nothing of which world it is. */
export function openService({ world, settings, networks, publicUrl }: Given): Service {
  const { clock, database, entropy, signals, telemetry } = world
  const { tiers } = settings
  const guard = openSpendGuard({ clock, database, tiers, publicUrl })
  const writer = `writer_${entropy.alphanumeric(16)}`
  const refresh = () => guard.refresh()
  const meter = openUsageMeter({ clock, database, telemetry, writer, refresh })
  const { demoKey } = settings
  const directory = openAppDirectory({ clock, database, signals, telemetry, guard, demoKey })
  const monotonicMs = () => clock.monotonicMs()
  const rpc: RpcRouteNeeds = {
    clock,
    notes: openRpcNotes(telemetry, settings.log.requests),
    guard,
    meter,
    directory,
    publicUrl,
    demo: openDemoLimiter({ clock, publicUrl }),
    heights: openSteadyHeights(monotonicMs),
    networkBySlug: networks.bySlug,
    nextRequestId: requestIds(entropy.alphanumeric(8)),
  }
  const routes = makeRoutes({ world, settings, networks, publicUrl }, rpc)
  return {
    routes,
    async stop() {
      meter.stop()
      directory.stop()
      await meter.flush()
    },
  }
}

function makeRoutes({ world, settings, networks, publicUrl }: Given, rpc: RpcRouteNeeds): Routes {
  const { clock, database, entropy, secrets, signals, telemetry } = world
  const listed = () => networks.list().map(({ network }) => network)
  const probed = { clock, database, telemetry, networks: networks.list }
  const pages = { publicUrl, networks: listed, demoKey: settings.demoKey }
  return {
    rpc: (request, target, address) => serveRpcRoute(rpc, request, target, address),
    api: apiRouter({
      clock,
      database,
      entropy,
      secrets,
      telemetry,
      publicUrl,
      tiers: settings.tiers,
      networks: listed,
      networkReport: () => networks.list().map(networkReport),
      accountsChanged: () => signals.publish('accounts', ''),
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

/** Short, unique in this process, and of no use to anyone who guesses the next. */
function requestIds(prefix: string): () => string {
  let last = 0
  return () => `req_${prefix}${(++last).toString(36)}`
}
