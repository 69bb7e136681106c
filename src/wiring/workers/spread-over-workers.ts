import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Settings } from '../../config/config.ts'
import { type Routes, startServer } from '../../http/server.ts'
import type { LimitExchange } from '../../metering/limit-exchange.ts'
import type { Drivers } from '../drivers.ts'
import type { WriteLog } from '../embedded-drivers.ts'
import type { CallReport } from '../networks/merge-reports.ts'
import type { NetworkSet } from '../networks/network-set.ts'
import type { Service } from '../service.ts'
import { ADDRESS_HEADER, serveForwardedAccounts } from './forwarded-accounts.ts'
import { startGatewayWorkers } from './gateway-workers.ts'
import { openWorkerHub } from './worker-hub.ts'
import { settingsForWorker } from './worker-settings.ts'

export type SpreadInputs = {
  drivers: Drivers & { writeLog: WriteLog }
  settings: Settings
  networks: NetworkSet
  service: Service
  publicUrl: string
  /** Shares limits with other machines; null where there are none. */
  exchange: LimitExchange | null
}

type Port = {
  port: number
  release(): Promise<void>
}

export type Spread = {
  isServing(): boolean
  exposition(): Promise<string>
  reports(): Promise<CallReport[]>
  reloaded(): Promise<void>
  stop(graceMs: number): Promise<void>
}

export async function spreadOverWorkers(inputs: SpreadInputs, port: Port): Promise<Spread> {
  const { drivers, settings, networks, service, publicUrl, exchange } = inputs
  await using opened = new AsyncDisposableStack()
  const rpc = serveForwardedAccounts(networks, service.local)
  const { socket, stop } = serveOverSocket(drivers, { ...service.routes, rpc })
  opened.defer(stop)
  const { workers } = settings.gateway
  const hub = openWorkerHub(drivers, { networks, workers, outside: exchange })
  opened.defer(hub.stop)
  const pages = [...service.routes.pages.keys()]
  const filterSecretHex = service.filterSecret.toHex()
  const rest = { port: port.port, publicUrl, filterSecretHex, socket, pages }
  const running = await startGatewayWorkers({
    ...drivers,
    workers,
    hub,
    opening: () => ({ ...rest, settings: settingsForWorker(settings) }),
    releasePort: port.release,
  })

  const kept = opened.move()
  return {
    isServing: running.isServing,
    exposition: hub.exposition,
    reports: hub.reports,
    reloaded: () => hub.reload(settingsForWorker(settings), pages),
    async stop(graceMs) {
      await running.stop(graceMs)
      await kept.disposeAsync()
    },
  }
}

type SocketServer = {
  /** The path of the socket. */
  socket: string
  stop(): Promise<void>
}

/** Serves processes of ours on a socket that nobody else can reach. */
function serveOverSocket(
  { clock, telemetry }: Pick<Drivers, 'clock' | 'telemetry'>,
  routes: Routes,
): SocketServer {
  // For this user alone. Not in the data folder: its path may be too long for a socket.
  const folder = mkdtempSync(join(tmpdir(), 'headgate-workers-'))
  const socket = join(folder, 'main.sock')
  const remove = () => rmSync(folder, { recursive: true, force: true })
  const shown = { addressHeader: ADDRESS_HEADER, trustProxy: false, domain: () => '' }
  const where = { host: '', port: 0, socket, descriptors: null }
  try {
    const server = startServer({ clock, telemetry, ...where, ...shown, routes: () => routes })
    return {
      socket,
      async stop() {
        await server.stop(0)
        remove()
      },
    }
  } catch (thrown) {
    remove()
    throw thrown
  }
}
