import type { Settings } from '../config/config.ts'
import { cacheReply } from '../http/edge/cached-reply.ts'
import { docsPage } from '../http/pages/docs-page.ts'
import { homePage } from '../http/pages/home-page.ts'
import { healthProbe, metricsPage, readinessProbe } from '../http/pages/probes.ts'
import type { Routes } from '../http/server.ts'
import type { NetworkSet } from './networks/network-set.ts'
import type { World } from './world.ts'

type Given = {
  world: World
  settings: Settings
  networks: NetworkSet
  publicUrl: string
  isBehind(networkId: string): boolean
}

type Pages = Routes['pages']

/** What a browser, a load balancer and a monitor are shown. */
export function makePages({ world, settings, networks, publicUrl, isBehind }: Given): {
  pages: Pages
  probes: Pages
  metrics: Pages
} {
  const { clock, database, storeHealth, telemetry } = world
  const listed = () => networks.list().map(({ network }) => network)
  const probed = { clock, database, storeHealth, telemetry, networks: networks.list, isBehind }
  const shown = { publicUrl, networks: listed, demoKey: () => settings.demoKey }
  const home = cacheReply(() => homePage(shown))
  // It names the networks, which a reload exchanges.
  networks.subscribe(home.renew)
  return {
    pages: new Map([
      ['/', home.reply],
      ['/docs', cacheReply(() => docsPage(shown)).reply],
    ]),
    probes: new Map<string, () => Response | Promise<Response>>([
      ['/healthz', healthProbe],
      ['/readyz', () => readinessProbe(probed)],
    ]),
    metrics: new Map([['/metrics', () => metricsPage(probed)]]),
  }
}
