import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import packageJson from '../../../package.json' with { type: 'json' }
import type { Settings } from '../../config/config.ts'
import type { WorkerOpening } from '../workers/worker-messages.ts'
import { settingsOfWorker } from '../workers/worker-settings.ts'
import { type MainLink, openMainLink } from './main-link.ts'
import { type OpenWorker, openWorker } from './open-worker.ts'
import type { WorkerDrivers } from './worker-drivers.ts'

type OpenDrivers = (settings: Settings, component: string) => Promise<WorkerDrivers>

type Worker = { drivers: WorkerDrivers; served: OpenWorker; opening: WorkerOpening }

/** Without the main process nobody counts and nobody watches: what is in flight gets this long. */
const ORPHAN_GRACE_MS = 10_000

const SIGN_OF_LIFE_MS = 2000

/** Serves JSON-RPC for the main process, until that says to stop or is gone. */
export function serveAsWorker(openDrivers: OpenDrivers): void {
  // A terminal and a service manager signal all processes at once; the main one decides.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => {})
  const link = openMainLink()
  let opening: Promise<Worker> | null = null

  link.subscribe((message) => {
    if (message.kind === 'open') opening ??= open(openDrivers, link, message.opening)
    if (message.kind === 'listen') {
      void opening?.then(({ served }) => {
        served.listen()
        link.send({ kind: 'listening' })
      })
    }
    if (message.kind === 'stop') void end(opening, message.graceMs)
  })
  void link.closed.then(() => orphaned(opening))
  link.send({ kind: 'hello', version: packageJson.version })
}

async function open(
  openDrivers: OpenDrivers,
  link: MainLink,
  opening: WorkerOpening,
): Promise<Worker> {
  const settings = settingsOfWorker(opening.settings)
  const drivers = await openDrivers(settings, `worker-${process.pid}`)
  const served = await openWorker(drivers, link, opening, settings)
  const { clock, telemetry } = drivers
  const measured = (id: number) =>
    link.send({ kind: 'measured', id, exposition: telemetry.exposition() })
  clock.every(SIGN_OF_LIFE_MS, () => measured(0))
  link.subscribe((message) => {
    if (message.kind === 'measure') measured(message.id)
    if (message.kind === 'report') {
      link.send({ kind: 'reported', id: message.id, networks: served.reports() })
    }
  })
  link.send({ kind: 'opened' })
  return { drivers, served, opening }
}

async function end(opening: Promise<Worker> | null, graceMs: number): Promise<void> {
  const worker = await opening
  await worker?.served.stop(graceMs)
  await worker?.drivers.close()
  process.exit(0)
}

/** The folder of the socket is of no use to anybody any more, and nobody else removes it. */
async function orphaned(opening: Promise<Worker> | null): Promise<void> {
  const worker = await opening
  if (worker) rmSync(dirname(worker.opening.socket), { recursive: true, force: true })
  await end(opening, ORPHAN_GRACE_MS)
}
