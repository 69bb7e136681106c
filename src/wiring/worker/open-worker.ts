import type { Settings } from '../../config/config.ts'
import { assert } from '../../core/errors.ts'
import type { RpcRouteNeeds } from '../../http/rpc/rpc-route.ts'
import { type HttpServer, startServer } from '../../http/server.ts'
import { networkReport } from '../../upstream/answers/network-report.ts'
import { type CallReport, callReportOf } from '../networks/merge-reports.ts'
import { openNetworkSet } from '../networks/network-set.ts'
import { openRpcEndpoints } from '../rpc-endpoints.ts'
import type { WorkerOpening } from '../workers/worker-messages.ts'
import { forwardAccounts, forwardRequests } from './forward-requests.ts'
import { openMainLedger } from './main-ledger.ts'
import type { MainLink } from './main-link.ts'
import { openMainWatch } from './main-watch.ts'
import { takeOverReloads } from './take-over-reloads.ts'
import type { WorkerDrivers } from './worker-drivers.ts'

export type OpenWorker = {
  /** Shares the port with the other workers from here on. */
  listen(): void
  reports(): CallReport[]
  /** Finishes what is in flight and hands over what was metered. */
  stop(graceMs: number): Promise<void>
}

export async function openWorker(
  drivers: WorkerDrivers,
  link: MainLink,
  opening: WorkerOpening,
  settings: Settings,
): Promise<OpenWorker> {
  await using opened = new AsyncDisposableStack()
  const shared = openMainWatch(link)
  const networks = await openNetworkSet({ ...drivers, shared }, settings)
  assert(!Array.isArray(networks), 'the main process has checked the chains')
  opened.defer(networks.stop)
  const { exchange, recordUsage } = openMainLedger(drivers, link, settings.gateway.workers)
  opened.defer(exchange.stop)
  const { publicUrl, socket } = opening
  const filterSecret = Uint8Array.fromHex(opening.filterSecretHex)
  const local = forwardAccounts({ ...drivers, socket })
  const served = { drivers, settings, networks, publicUrl, exchange }
  const endpoints = openRpcEndpoints({ ...served, recordUsage, filterSecret, local }, opened)
  const { needs: rpc } = endpoints
  hearHeights(link, rpc)
  const pages = new Set(opening.pages)
  takeOverReloads({ link, networks, shared, settings, rpc, pages })
  link.subscribe((message) => {
    if (message.kind === 'signal') drivers.signals.publish(message.topic, message.text)
  })

  const { bodies } = rpc
  const { local: isLocal } = settings
  const passed = { bodies, socket, isLocal, pages: () => pages }
  const forwarded = forwardRequests({ ...drivers, ...passed })
  const routes = { ...endpoints.open(), ...forwarded }
  let server: HttpServer | null = null
  const rest = opened.move()
  return {
    listen() {
      server ??= startServer({
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
    async stop(graceMs) {
      await server?.stop(graceMs)
      await rest.disposeAsync()
    },
  }
}

/** No app is shown a lower height here than another worker showed. */
function hearHeights(link: MainLink, { heights }: RpcRouteNeeds): void {
  link.subscribe((message) => {
    if (message.kind !== 'news' || message.news.kind !== 'shown') return
    heights.hear(message.network, message.news.height)
  })
}
