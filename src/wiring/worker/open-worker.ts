import type { Settings } from '../../config/config.ts'
import { serial } from '../../core/async/serial.ts'
import { assert } from '../../core/errors.ts'
import { type HttpServer, startServer } from '../../http/server.ts'
import { networkReport } from '../../upstream/answers/network-report.ts'
import { type CallReport, callReportOf } from '../networks/merge-reports.ts'
import { openNetworkSet } from '../networks/network-set.ts'
import { takeOver } from '../reload.ts'
import { openRpcEndpoints } from '../rpc-endpoints.ts'
import { forwardAccounts } from '../workers/forwarded-accounts.ts'
import {
  settingsOfWorker,
  type WorkerOpening,
  type WorkerSettings,
} from '../workers/worker-settings.ts'
import { forwardRequests } from './forward-requests.ts'
import type { WorkerDrivers } from './worker-drivers.ts'

export type OpenWorker = {
  /** Shares the port with the other workers from here on. */
  listen(): void
  reports(): CallReport[]
  /** Puts settings into force that the main process has reloaded and checked. */
  reload(settings: WorkerSettings): Promise<void>
  /** Finishes calls in flight and writes what was metered. */
  stop(graceMs: number): Promise<void>
}

export async function openWorker(
  drivers: WorkerDrivers,
  opening: WorkerOpening,
  settings: Settings,
): Promise<OpenWorker> {
  await using opened = new AsyncDisposableStack()
  const networks = await openNetworkSet({ ...drivers, isObserver: true }, settings)
  assert(!Array.isArray(networks), 'the main process has checked the chains')
  opened.defer(networks.stop)
  const { publicUrl } = opening
  const { exchange, requestMain } = drivers
  const local = forwardAccounts(requestMain)
  const served = { drivers, settings, networks, publicUrl, exchange, local }
  const endpoints = openRpcEndpoints(served, opened)
  const { bodies, guard, directory } = endpoints.needs
  const forwarded = forwardRequests({
    bodies,
    requestMain,
    clock: drivers.clock,
    isLocal: settings.local,
    pages: new Set(opening.pages),
  })
  const routes = { ...endpoints.open(), ...forwarded }
  let server: HttpServer | null = null
  const inTurn = serial()
  const rest = opened.move()
  return {
    listen() {
      server = startServer({
        ...drivers,
        host: settings.listen.host,
        port: opening.port,
        isShared: true,
        connectionsMax: settings.limits.connectionsMax,
        trustProxy: settings.trustProxy,
        domain: () => settings.domain,
        routes: () => routes,
      })
    },
    reports: () => networks.list().map((service) => callReportOf(networkReport(service))),
    reload: (given) =>
      inTurn(async () => {
        const next = settingsOfWorker(given)
        await networks.reload(next)
        takeOver(settings, next)
        guard.replan()
        directory.forget()
      }),
    async stop(graceMs) {
      await server?.stop(graceMs)
      await rest.disposeAsync()
    },
  }
}
