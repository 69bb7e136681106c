import type { Settings } from '../config/config.ts'
import { parseListen } from '../config/config-checks.ts'
import { type HttpServer, type Routes, startServer } from '../http/server.ts'
import type { ProcessDrivers } from './process-drivers.ts'
import {
  type GatewayWorkers,
  startGatewayWorkers,
  type WorkerInputs,
} from './workers/gateway-workers.ts'

type Served = { routes: Routes; metricRoutes: Routes | null }

export async function startServers(
  drivers: ProcessDrivers,
  settings: Settings,
  service: () => Served | null,
) {
  await using opened = new AsyncDisposableStack()
  const isSpread = settings.roles.includes('gateway') && settings.gateway.workers > 1
  const main = startServer({
    ...drivers,
    ...settings.listen,
    connectionsMax: settings.limits.connectionsMax,
    trustProxy: settings.trustProxy,
    domain: () => settings.domain,
    // Held for workers, the port says that the service is starting until they have it.
    routes: () => (isSpread ? null : (service()?.routes ?? null)),
  })
  opened.defer(() => main.stop(0))
  const metrics = startMetricsServer(drivers, settings, () => service()?.metricRoutes ?? null)
  opened.move()
  let workers: GatewayWorkers | null = null
  return {
    port: main.port,
    /** False while nobody takes the calls that this process is to have served. */
    isServing: () => !isSpread || (workers?.isServing() ?? false),
    /** The metrics of this process and of those that listen for it. */
    exposition: async () => workers?.exposition() ?? drivers.telemetry.exposition(),
    /** How calls go at the upstreams, as those see it that listen for this process. */
    reports: async () => workers?.reports() ?? [],
    /** Hands the port over to workers, where there are to be several. */
    async spread(inputs: WorkerInputs): Promise<void> {
      if (!isSpread) return
      const port = { port: main.port, release: () => main.stop(0) }
      workers = await startGatewayWorkers(inputs, port)
    },
    /** Has workers take over settings that were reloaded. */
    reloaded: async () => workers?.reload(),
    async stop(graceMs: number): Promise<void> {
      await (workers ?? main).stop(graceMs)
      await metrics?.stop(0)
    },
  }
}

/** A listener that only those who may read metrics are meant to reach. */
function startMetricsServer(
  { clock, telemetry }: ProcessDrivers,
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
