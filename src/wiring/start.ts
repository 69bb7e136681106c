import type { Settings } from '../config/config.ts'
import { type Courier, openCourier } from '../courier/courier.ts'
import type { Drivers } from './drivers.ts'
import { type EmbeddedDrivers, openEmbeddedDrivers, type WriteLog } from './embedded-drivers.ts'
import { type FirstRun, firstRun } from './first-run.ts'
import { type Followers, openFollowers } from './networks/followers.ts'
import { withLocalNetworks } from './networks/local-networks.ts'
import { type NetworkSet, openNetworkSet } from './networks/network-set.ts'
import { missingTiers } from './reload.ts'
import { startServers } from './servers.ts'
import { openService, type Service } from './service.ts'
import { upgradeStore } from './upgrade-store.ts'

export type Running = {
  url: string
  settings: Settings
  networks: NetworkSet
  /** Null where this process has no follower's role. */
  followers: Followers | null
  firstRun: FirstRun | null
  drivers: Drivers
  /** Tells those who keep what settings say that live options have changed. */
  reloaded(): void
  /** Finishes what is in flight, writes what is metered, closes everything. */
  stop(): Promise<void>
}

/** In-flight requests get this long to end after SIGTERM. */
const STOP_GRACE_MS = 10_000

/**
 * The name under which leases are held. One process has the data folder to itself, so a restart
 * under the same name need not wait for its own leases to lapse.
 */
const EMBEDDED = 'embedded'

/** Starts the whole product; a list of faults when the configuration does not fit the machine. */
export async function start(given: Settings, write?: WriteLog): Promise<Running | string[]> {
  return startOn(await openEmbeddedDrivers(given, write), given)
}

/** The same on given drivers. A start that fails closes all that it has opened, and them. */
export async function startOn(
  drivers: EmbeddedDrivers,
  given: Settings,
): Promise<Running | string[]> {
  await using opened = new AsyncDisposableStack()
  opened.defer(drivers.close)
  await upgradeStore(drivers)
  const settings = await withLocalNetworks(drivers, given, opened)
  let service: Service | null = null
  let courier: Courier | null = null
  let followers: Followers | null = null
  const server = await startServers(drivers, settings, () => service)
  const stopIntake = once(() => Promise.all([server.stop(STOP_GRACE_MS), courier?.stop()]))
  opened.defer(stopIntake)

  const missing = await missingTiers(drivers.database, settings)
  const networks = missing.length > 0 ? missing : await openNetworkSet(drivers, settings)
  if (Array.isArray(networks)) return networks
  opened.defer(networks.stop)
  const url = settings.publicUrlGiven ? settings.publicUrl : `http://localhost:${server.port}`
  const { data: folder, operatorToken } = settings
  const networkIds = settings.networks.map(({ id }) => id)
  const made = await firstRun(drivers, { folder, url, networkIds, operatorToken })
  const isBehind = (id: string) => followers?.isBehind(id) ?? false
  service = openService({ drivers, settings, networks, publicUrl: url, isBehind }, opened)

  if (settings.roles.includes('courier')) {
    const { webhooks, tiers } = settings
    courier = openCourier({
      ...drivers,
      name: EMBEDDED,
      settings: webhooks,
      tiers,
      publicUrl: url,
    })
  }
  if (settings.roles.includes('follower')) {
    followers = openFollowers(drivers, networks, EMBEDDED, {
      committed: (event) => courier?.remind(event),
      replayed: (webhookIds) => courier?.remindWebhooks(webhookIds),
    })
    opened.defer(followers.stop)
  }
  // The last to be opened is the first to be closed: no new work comes in while the rest ends.
  opened.defer(stopIntake)
  const { reloaded } = service
  const running = opened.move()
  const stop = () => running.disposeAsync()
  return { url, settings, networks, followers, firstRun: made, drivers, reloaded, stop }
}

function once(work: () => Promise<unknown>): () => Promise<void> {
  let done: Promise<unknown> | null = null
  return async () => {
    done ??= work()
    await done
  }
}
