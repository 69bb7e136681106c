import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import packageJson from '../../../package.json' with { type: 'json' }
import type { Settings } from '../../config/config.ts'
import { assert } from '../../core/errors.ts'
import { type HttpServer, startServer } from '../../http/server.ts'
import { networkReport } from '../../upstream/answers/network-report.ts'
import { openNetworkSet } from '../networks/network-set.ts'
import { takeOver } from '../reload.ts'
import { openRpcEndpoints } from '../rpc-endpoints.ts'
import { forwardAccounts } from '../workers/forwarded-accounts.ts'
import { openProcessCalls } from '../workers/process-calls.ts'
import {
  type MainFunctions,
  settingsOfWorker,
  type WorkerFunctions,
  type WorkerOpening,
  type WorkerSettings,
} from '../workers/worker-settings.ts'
import { forwardRequests } from './forward-requests.ts'
import { openWorkerDrivers, type WorkerDrivers } from './worker-drivers.ts'

/** Without the main process nothing is billed: calls in flight get this long. */
const ORPHAN_GRACE_MS = 10_000

serveAsWorker()

/** Serves JSON-RPC for the main process, until that says to stop or is gone. */
function serveAsWorker(): void {
  // A terminal and a service manager signal all processes at once; the main one decides.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => {})
  let drivers: WorkerDrivers | null = null
  let worker: Awaited<ReturnType<typeof openWorker>> | null = null
  const offered: WorkerFunctions = {
    receive: async (topic, text) => drivers?.signals.deliver(topic, text),
    state: () => ({
      exposition: drivers?.telemetry.exposition() ?? '',
      reports: worker?.reports() ?? [],
    }),
    async reload(settings) {
      await serving
      await worker?.reload(settings)
    },
    stop: (graceMs) => void end(graceMs),
  }
  const main = openProcessCalls<MainFunctions>((messages) => process.send?.(messages), offered)
  let socketFolder: string | null = null

  async function serve(): Promise<void> {
    const opening = await main.call('join', packageJson.version)
    socketFolder = dirname(opening.socket)
    const settings = settingsOfWorker(opening.settings)
    drivers = await openWorkerDrivers(settings, opening, main)
    worker = await openWorker(drivers, opening, settings)
  }

  async function end(graceMs: number): Promise<void> {
    await worker?.stop(graceMs)
    await drivers?.close()
    process.exit(0)
  }

  process.on('message', main.receive)
  process.on('disconnect', () => {
    main.end()
    // Nobody else removes the folder of the main process's socket.
    if (socketFolder !== null) rmSync(socketFolder, { recursive: true, force: true })
    void end(ORPHAN_GRACE_MS)
  })
  const serving = serve()
  void serving
    .then(() => main.call('opened'))
    .then(() => {
      worker?.listen()
      return main.call('listening')
    })
}

async function openWorker(drivers: WorkerDrivers, opening: WorkerOpening, settings: Settings) {
  await using opened = new AsyncDisposableStack()
  const networks = await openNetworkSet({ ...drivers, isObserver: true }, settings)
  assert(!Array.isArray(networks), 'the main process has checked the chains')
  opened.defer(networks.stop)
  const { publicUrl } = opening
  const { requestMain } = drivers
  const local = forwardAccounts(requestMain)
  const served = { drivers, settings, networks, publicUrl, local }
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
  const rest = opened.move()
  return {
    /** Shares the port with the other workers from here on. */
    listen(): void {
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
    reports: () => networks.list().map(networkReport),
    /** Puts settings into force that the main process has reloaded and checked. */
    async reload(given: WorkerSettings): Promise<void> {
      const next = settingsOfWorker(given)
      await networks.reload(next)
      takeOver(settings, next)
      guard.replan()
      directory.forget()
    },
    /** Finishes calls in flight and writes what was metered. */
    async stop(graceMs: number): Promise<void> {
      await server?.stop(graceMs)
      await rest.disposeAsync()
    },
  }
}
