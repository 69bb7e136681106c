import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dashboardPages } from '../http/pages/dashboard-pages.ts'
import { docsPages } from '../http/pages/docs-pages.ts'
import { healthProbe, metricsPage, readinessProbe } from '../http/pages/probes.ts'
import type { Page } from '../http/server.ts'
import type { ServiceInputs } from './service-inputs.ts'

type Pages = ReadonlyMap<string, Page>

const DASHBOARD = 'dashboard.bundle'
const DOCS = 'docs.bundle'

/** Pages for browsers, probes for load balancers, metrics for monitors. */
export function makePages(inputs: ServiceInputs): {
  pages: Pages
  probes: Pages
  metrics: Pages
} {
  const { drivers, networks, isBehind, isServing, exposition } = inputs
  const { clock, database, storeHealth } = drivers
  const served = { networks: networks.list, isBehind, isServing, exposition }
  const probed = { clock, database, storeHealth, ...served }
  return {
    pages: new Map([
      ...docsPages(() => readBundle(DOCS)),
      ...dashboardPages(readBundle(DASHBOARD)),
    ]),
    probes: new Map<string, Page>([
      ['/healthz', healthProbe],
      ['/readyz', () => readinessProbe(probed)],
    ]),
    metrics: new Map([['/metrics', () => metricsPage(probed)]]),
  }
}

/** Pages lie in the executable, or where they were built; null where they were not. */
function readBundle(name: string): string | null {
  const isEmbedded = Bun.embeddedFiles.some((file) => 'name' in file && file.name === name)
  const built = new URL(`../../dist/${name}`, import.meta.url)
  try {
    return readFileSync(isEmbedded ? join(import.meta.dir, name) : built, 'utf8')
  } catch {
    return null
  }
}
