import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dashboardPages } from '../http/pages/dashboard-pages.ts'
import { healthProbe, metricsPage, readinessProbe } from '../http/pages/probes.ts'
import type { Page } from '../http/server.ts'
import type { ServiceInputs } from './service-inputs.ts'

const BUNDLE_NAME = 'dashboard.bundle'
const BUNDLE = new URL(`../../dist/${BUNDLE_NAME}`, import.meta.url)

type Pages = ReadonlyMap<string, Page>

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
    pages: dashboardPages(readBundle()),
    probes: new Map<string, Page>([
      ['/healthz', healthProbe],
      ['/readyz', () => readinessProbe(probed)],
    ]),
    metrics: new Map([['/metrics', () => metricsPage(probed)]]),
  }
}

/** The dashboard lies in the executable, or where it was built; null where it was not. */
function readBundle(): string | null {
  const isEmbedded = Bun.embeddedFiles.some((file) => 'name' in file && file.name === BUNDLE_NAME)
  try {
    return readFileSync(isEmbedded ? join(import.meta.dir, BUNDLE_NAME) : BUNDLE, 'utf8')
  } catch {
    return null
  }
}
