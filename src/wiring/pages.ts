import { cacheReply } from '../http/edge/cached-reply.ts'
import { docsPage } from '../http/pages/docs-page.ts'
import { homePage } from '../http/pages/home-page.ts'
import { healthProbe, metricsPage, readinessProbe } from '../http/pages/probes.ts'
import type { Routes } from '../http/server.ts'
import type { ServiceInputs } from './service-inputs.ts'

type Pages = Routes['pages']

/** Pages for browsers, probes for load balancers, metrics for monitors. */
export function makePages({ drivers, settings, networks, publicUrl, isBehind }: ServiceInputs): {
  pages: Pages
  probes: Pages
  metrics: Pages
} {
  const { clock, database, storeHealth, telemetry } = drivers
  const listed = () => networks.list().map(({ network }) => network)
  const probed = { clock, database, storeHealth, telemetry, networks: networks.list, isBehind }
  const shown = { publicUrl, networks: listed, demoKey: () => settings.demoKey }
  const home = cacheReply(() => homePage(shown))
  // The page names the networks, which a reload exchanges.
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
