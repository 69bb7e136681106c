import type { Settings } from '../config/config.ts'
import { openEmbeddedDrivers, type WriteLog } from './embedded-drivers.ts'
import { type FirstRun, firstRun, hasRunBefore } from './first-run.ts'
import { openLocalDevelopment } from './local/local-development.ts'
import { type DeliveryRoles, openDeliveryRoles } from './networks/delivery-roles.ts'
import { withLocalNetworks } from './networks/local-networks.ts'
import { type NetworkSet, openNetworkSet } from './networks/network-set.ts'
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
  resumed: boolean
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

const UNWATCHED: WatchStep = (_step, work) => work

const STOP_GRACE_MS = 10_000

/** Starts the whole product; a list of faults when the configuration does not fit the machine. */
export async function start(
  given: Settings,
  write?: WriteLog,
  watch = UNWATCHED,
): Promise<Running | string[]> {
  return startOn(await watch('store', openDrivers(given, write)), given, watch)
}

/** The drivers of the world that is configured; those of many machines are loaded only there. */
export async function openDrivers(settings: Settings, write?: WriteLog): Promise<ProcessDrivers> {
  if (settings.database === undefined) return openEmbeddedDrivers(settings, write)
  const { openClusterDrivers } = await import('./cluster/cluster-drivers.ts')
  return openClusterDrivers(settings, write)
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
  const starting = withLocalNetworks(drivers, given, opened)
  // With a configuration there are no chains to start, and nothing is shown.
  const { settings, devnets } = await (given.local ? watch('chains', starting) : starting)
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
  const resumed = await hasRunBefore(drivers.database)
  const keys = await firstRun(drivers, drivers.name, { folder, url, networkIds, operatorToken })
  const started = { publicUrl: url, devnets, firstRun: keys }
  const { local, localSignIn } = await openLocalDevelopment(drivers, settings, started)
  const isBehind = (id: string) => roles?.followers?.isBehind(id) ?? false
  const inputs = { drivers, settings, networks, publicUrl: url }
  const { isServing, exposition, reports } = server
  service = openService(
    { ...inputs, local, localSignIn, isBehind, isServing, exposition, reports },
    opened,
  )

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
  return {
    url,
    settings,
    networks,
    followers,
    firstRun: keys,
    resumed,
    signInLink: localSignIn?.link ?? null,
    drivers,
    reloaded,
    stop: () => running.disposeAsync(),
  }
}

function once(work: () => Promise<unknown>): () => Promise<void> {
  let done: Promise<unknown> | null = null
  return async () => {
    done ??= work()
    await done
  }
}
