import type { Settings } from '../config/config.ts'
import type { WriteLog } from './embedded-drivers.ts'
import { type FirstRun, firstRun, hasRunBefore } from './first-run.ts'
import { openLocalDevelopment } from './local/local-development.ts'
import { type DeliveryRoles, openDeliveryRoles } from './networks/delivery-roles.ts'
import { withLocalNetworks } from './networks/local-networks.ts'
import { type NetworkSet, openNetworkSet } from './networks/network-set.ts'
import { openDrivers } from './open-drivers.ts'
import { type ProcessDrivers, upgradeStore } from './process-drivers.ts'
import { missingTiers } from './reload.ts'
import { startServers } from './servers.ts'
import { openService, type Service } from './service.ts'

export type Running = {
  url: string
  settings: Settings
  networks: NetworkSet
  /** Null where this process has no follower's role. */
  followers: DeliveryRoles['followers']
  firstRun: FirstRun | null
  /** The store was started on before. */
  goesOn: boolean
  /** Signs in at the dashboard; null outside of local development. */
  signInLink: string | null
  drivers: ProcessDrivers
  /** Tells those who keep what settings say that live options have changed. */
  reloaded(): Promise<void>
  /** Finishes what is in flight, writes what is metered, closes everything. */
  stop(): Promise<void>
}

export type StartStep = 'store' | 'tables' | 'chains' | 'networks'

/** Is shown each step of the start, and gives back the step's own result. */
export type WatchStep = <T>(step: StartStep, work: Promise<T>) => Promise<T>

type LocalParts = [...Parameters<typeof withLocalNetworks>, watch: WatchStep]

const UNWATCHED: WatchStep = (_step, work) => work

/** In-flight requests get this long to end after SIGTERM. */
const STOP_GRACE_MS = 10_000

/** Starts the whole product; a list of faults when the configuration does not fit the machine. */
export async function start(
  given: Settings,
  write?: WriteLog,
  watch = UNWATCHED,
): Promise<Running | string[]> {
  return startOn(await watch('store', openDrivers(given, write)), given, watch)
}

/** The same on given drivers. A start that fails closes all that it has opened, and them. */
export async function startOn(
  drivers: ProcessDrivers,
  given: Settings,
  watch = UNWATCHED,
): Promise<Running | string[]> {
  await using opened = new AsyncDisposableStack()
  opened.defer(drivers.close)
  await watch('tables', upgradeStore(drivers))
  const { settings, devnets } = await localNetworks(drivers, given, opened, watch)
  let service: Service | null = null
  let roles: DeliveryRoles | null = null
  const server = await startServers(drivers, settings, () => service)
  const stopIntake = once(() => {
    // A stream of events never ends by itself, so nobody waits for it.
    const ended = service?.live.stop()
    return Promise.all([ended, server.stop(STOP_GRACE_MS), roles?.courier?.stop()])
  })
  opened.defer(stopIntake)

  const missing = await missingTiers(drivers.database, settings)
  const opening = missing.length > 0 ? missing : openNetworkSet(drivers, settings)
  const networks = await watch('networks', Promise.resolve(opening))
  if (Array.isArray(networks)) return networks
  opened.defer(networks.stop)
  const url = settings.publicUrlGiven ? settings.publicUrl : `http://localhost:${server.port}`
  const { data: folder, operatorToken } = settings
  const networkIds = settings.networks.map(({ id }) => id)
  const goesOn = await hasRunBefore(drivers)
  const made = await firstRun(drivers, { folder, url, networkIds, operatorToken })
  const found = { publicUrl: url, devnets, firstRun: made }
  const { local, localSignIn } = await openLocalDevelopment(drivers, settings, found)
  const isBehind = (id: string) => roles?.followers?.isBehind(id) ?? false
  const inputs = { drivers, settings, networks, publicUrl: url, exchange: drivers.exchange }
  const { isServing, exposition, reports } = server
  const shown = { local, localSignIn, isBehind, isServing, exposition, reports }
  service = openService({ ...inputs, ...shown }, opened)

  const { hint: committed } = service.live
  roles = openDeliveryRoles({ drivers, settings, networks, publicUrl: url, committed })
  const { followers, known } = roles
  opened.defer(known.stop)
  opened.defer(() => followers?.stop())
  await server.spread({ ...inputs, service })
  // The last to be opened is the first to be closed: no new work comes in while the rest ends.
  opened.defer(stopIntake)
  opened.defer(() => local?.close())
  const { reloaded: serviceReloaded } = service
  const reloaded = () => {
    serviceReloaded()
    return server.reloaded()
  }
  const running = opened.move()
  const stop = () => running.disposeAsync()
  const told = { url, goesOn, firstRun: made, signInLink: localSignIn?.link ?? null }
  return { ...told, settings, networks, followers, drivers, reloaded, stop }
}

/** With a configuration there are none, and nothing is shown. */
function localNetworks(...[drivers, given, opened, watch]: LocalParts) {
  const work = withLocalNetworks(drivers, given, opened)
  return given.local ? watch('chains', work) : work
}

function once(work: () => Promise<unknown>): () => Promise<void> {
  let done: Promise<unknown> | null = null
  return async () => {
    done ??= work()
    await done
  }
}
