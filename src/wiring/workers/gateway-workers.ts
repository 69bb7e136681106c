import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Settings } from '../../config/config.ts'
import { within } from '../../core/async/within.ts'
import { Failure } from '../../core/errors.ts'
import { lastingOf, sumExpositions } from '../../http/pages/sum-expositions.ts'
import { type Routes, startServer } from '../../http/server.ts'
import type { NetworkSet } from '../networks/network-set.ts'
import type { ProcessDrivers } from '../process-drivers.ts'
import type { Service } from '../service.ts'
import { serveForwardedAccounts } from './forwarded-accounts.ts'
import { ADDRESS_HEADER, settingsForWorker, type WorkerOpening } from './worker-settings.ts'
import { openWorkerSlot, type SlotOptions } from './worker-slot.ts'

export type WorkerInputs = {
  drivers: ProcessDrivers
  settings: Settings
  networks: NetworkSet
  service: Service
  publicUrl: string
}

type Port = {
  port: number
  release(): Promise<void>
}

export type GatewayWorkers = Awaited<ReturnType<typeof startGatewayWorkers>>

const LOOK_EVERY_MS = 2000

/** A worker opens in a fraction of a second; a machine under heavy load may need more. */
const OPEN_MS_MAX = 30_000

/** Starts the workers, hands the port over to them, and replaces those that end. */
export async function startGatewayWorkers(inputs: WorkerInputs, port: Port) {
  const { drivers, networks, service, settings } = inputs
  const { clock, telemetry } = drivers
  await using opened = new AsyncDisposableStack()
  const rpc = serveForwardedAccounts(networks, service.local)
  const { socket, stop: stopSocket } = serveOverSocket(drivers, { ...service.routes, rpc })
  opened.defer(stopSocket)
  const portIsFree = Promise.withResolvers<void>()
  let ofTheEnded = ''
  const options: SlotOptions = {
    opening: () => openingOf(inputs, port, socket),
    portIsFree: portIsFree.promise,
    // Counters must not go back when a worker is replaced.
    ended({ exposition }) {
      ofTheEnded = sumExpositions([ofTheEnded, lastingOf(exposition)])
    },
  }
  const { workers } = settings.gateway
  const slots = Array.from({ length: workers }, () => openWorkerSlot(drivers, options))
  const states = () => Promise.all(slots.map((slot) => slot.workerState()))
  const listening = () => slots.filter((slot) => slot.isListening()).length
  const stopSlots = (graceMs: number) => Promise.all(slots.map((slot) => slot.stop(graceMs)))
  opened.defer(telemetry.gauge('headgate_gateway_workers', {}, listening))
  opened.defer(clock.every(LOOK_EVERY_MS, () => slots.forEach((slot) => void slot.look())))

  const all = (stages: Promise<void>[]) => within(clock, OPEN_MS_MAX, Promise.all(stages), tooSlow)
  try {
    await all(slots.map((slot) => slot.opened))
    await port.release()
    portIsFree.resolve()
    await all(slots.map((slot) => slot.listening))
  } catch (thrown) {
    await stopSlots(0)
    throw thrown
  }
  const kept = opened.move()
  return {
    /** At least one of them takes calls. */
    isServing: () => listening() > 0,
    /** The metrics of all processes, added up. */
    async exposition(): Promise<string> {
      const running = (await states()).map(({ exposition }) => exposition)
      return sumExpositions([telemetry.exposition(), ofTheEnded, ...running])
    },
    /** How calls go at the upstreams, as the workers see it. */
    reports: async () => (await states()).flatMap(({ reports }) => reports),
    async reload(): Promise<void> {
      await Promise.all(slots.map((slot) => slot.reload()))
    },
    async stop(graceMs: number): Promise<void> {
      await stopSlots(graceMs)
      await kept.disposeAsync()
    },
  }
}

function tooSlow(): never {
  throw new Failure('start_failed', { part: 'gateway worker', exit: 'too slow' })
}

function openingOf(
  { drivers, settings, service, publicUrl }: WorkerInputs,
  { port }: Port,
  socket: string,
): WorkerOpening {
  return {
    settings: settingsForWorker(settings),
    port,
    publicUrl,
    filterSecretHex: drivers.secrets.derive('ids of filters').toHex(),
    socket,
    pages: [...service.routes.pages.keys()],
    debts: drivers.exchange?.debts() ?? [],
  }
}

/** Serves the workers, on a socket that nobody else can reach. */
function serveOverSocket({ clock, telemetry }: ProcessDrivers, routes: Routes) {
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
