import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import packageJson from '../../../package.json' with { type: 'json' }
import { openProcessCalls } from '../workers/process-calls.ts'
import {
  type MainFunctions,
  settingsOfWorker,
  type WorkerFunctions,
} from '../workers/worker-settings.ts'
import { type OpenWorker, openWorker } from './open-worker.ts'
import { openWorkerDrivers, type WorkerDrivers } from './worker-drivers.ts'

/** Without the main process nothing is billed: calls in flight get this long. */
const ORPHAN_GRACE_MS = 10_000

serveAsWorker()

/** Serves JSON-RPC for the main process, until that says to stop or is gone. */
function serveAsWorker(): void {
  // A terminal and a service manager signal all processes at once; the main one decides.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => {})
  let drivers: WorkerDrivers | null = null
  let worker: OpenWorker | null = null
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
