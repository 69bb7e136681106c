import type { Settings } from '../config/config.ts'
import { parseListen } from '../config/config-checks.ts'
import { type HttpServer, type Routes, startServer } from '../http/server.ts'
import type { Descriptors } from '../ports/descriptors.ts'
import type { Drivers } from './drivers.ts'

type Served = { routes: Routes; metricRoutes: Routes | null }

/** Listens for clients and, where metrics have an address of their own, for those who read them. */
export async function startServers(
  drivers: Drivers & { descriptors: Descriptors },
  settings: Settings,
  service: () => Served | null,
): Promise<HttpServer> {
  await using opened = new AsyncDisposableStack()
  const main = startServer({
    ...drivers,
    ...settings.listen,
    connectionsMax: settings.limits.connectionsMax,
    trustProxy: settings.trustProxy,
    domain: () => settings.domain,
    routes: () => service()?.routes ?? null,
  })
  opened.defer(() => main.stop(0))
  const metrics = startMetricsServer(drivers, settings, () => service()?.metricRoutes ?? null)
  opened.move()
  return {
    port: main.port,
    async stop(graceMs) {
      await main.stop(graceMs)
      await metrics?.stop(0)
    },
  }
}

/** A listener that only those who may read metrics are meant to reach. */
function startMetricsServer(
  { clock, telemetry }: Drivers,
  { metrics }: Settings,
  routes: () => Routes | null,
): HttpServer | null {
  const address = metrics.listen === undefined ? undefined : parseListen(metrics.listen)
  if (!address) return null
  const shown = { trustProxy: false, domain: () => '', routes }
  const server = startServer({ clock, telemetry, descriptors: null, ...address, ...shown })
  telemetry.log('info', 'metrics_listening', { host: address.host, port: server.port })
  return server
}
