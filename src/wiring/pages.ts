import { cacheReply } from '../http/edge/cached-reply.ts'
import { docsPage } from '../http/pages/docs-page.ts'
import { homePage } from '../http/pages/home-page.ts'
import { healthProbe, metricsPage, readinessProbe } from '../http/pages/probes.ts'
import type { Page } from '../http/server.ts'
import type { ServiceInputs } from './service-inputs.ts'

type Pages = ReadonlyMap<string, Page>

/** Pages for browsers, probes for load balancers, metrics for monitors. */
export function makePages(inputs: ServiceInputs): {
  pages: Pages
  probes: Pages
  metrics: Pages
} {
  const { drivers, settings, networks, publicUrl, isBehind, isServing, exposition } = inputs
  const { clock, database, storeHealth } = drivers
  const listed = () => networks.list().map(({ network }) => network)
  const served = { networks: networks.list, isBehind, isServing, exposition }
  const probed = { clock, database, storeHealth, ...served }
  const shown = { publicUrl, networks: listed, demoKey: () => settings.demoKey }
  const home = cacheReply(() => homePage(shown))
  // The page names the networks, which a reload exchanges.
  networks.subscribe(home.renew)
  return {
    pages: new Map([
      ['/', home.reply],
      ['/docs', cacheReply(() => docsPage(shown)).reply],
    ]),
    probes: new Map<string, Page>([
      ['/healthz', healthProbe],
      ['/readyz', () => readinessProbe(probed)],
    ]),
    metrics: new Map([['/metrics', () => metricsPage(probed)]]),
  }
}
