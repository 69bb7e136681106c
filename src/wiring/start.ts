import type { Settings } from '../config/config.ts'
import { type Courier, openCourier } from '../courier/courier.ts'
import { openEmbeddedWorld, type WriteLog } from './app.ts'
import { type FirstRun, firstRun } from './first-run.ts'
import { type Followers, openFollowers } from './networks/followers.ts'
import { withLocalNetworks } from './networks/local-networks.ts'
import { type NetworkSet, openNetworkSet } from './networks/network-set.ts'
import { missingTiers } from './reload.ts'
import { startServers } from './servers.ts'
import { openService, type Service } from './service.ts'
import { upgradeStore } from './upgrade-store.ts'
import type { World } from './world.ts'

export type Running = {
  url: string
  settings: Settings
  networks: NetworkSet
  /** Null where this process has no follower's role. */
  followers: Followers | null
  firstRun: FirstRun | null
  world: World
  /** Tells whoever keeps what settings say that live ones have changed. */
  reloaded(): void
  /** Finishes what is in flight, writes what is metered, closes everything. */
  stop(): Promise<void>
}

/** In-flight requests get so long after SIGTERM. */
const STOP_GRACE_MS = 10_000

/**
 * The name under which leases are held. One process has the data folder to itself, so a restart
 * under the same name need not wait for its own leases to lapse.
 */
const EMBEDDED = 'embedded'

/** Starts the whole product; a list of faults when the configuration does not fit the world. */
export async function start(given: Settings, write?: WriteLog): Promise<Running | string[]> {
  const world = await openEmbeddedWorld(given, write)
  await upgradeStore(world)
  const local = await withLocalNetworks(world, given)
  const { settings } = local
  let service: Service | null = null
  let followers: Followers | null = null
  let courier: Courier | null = null
  let publicUrl = settings.publicUrl
  const server = startServers(world, settings, () => service)
  if (!settings.publicUrlGiven) publicUrl = `http://localhost:${server.port}`

  const stop = async () => {
    // Side by side, since each may wait for what is on its way.
    await Promise.all([server.stop(STOP_GRACE_MS), courier?.stop()])
    await followers?.stop()
    await service?.stop()
    if (!Array.isArray(networks)) networks.stop()
    await local.stop()
    world.egress.close()
    await world.signals.close()
    await world.database.close()
    await world.telemetry.flush()
  }
  const missing = await missingTiers(world.database, settings)
  const networks = missing.length > 0 ? missing : await openNetworkSet(world, settings)
  if (Array.isArray(networks)) {
    await stop()
    return networks
  }
  const { data: folder, operatorToken } = settings
  const networkIds = settings.networks.map(({ id }) => id)
  const made = await firstRun(world, { folder, url: publicUrl, networkIds, operatorToken })
  const isBehind = (id: string) => followers?.isBehind(id) ?? false
  service = openService({ world, settings, networks, publicUrl, isBehind })
  if (settings.roles.includes('courier')) {
    const { webhooks, tiers } = settings
    courier = openCourier({ ...world, name: EMBEDDED, settings: webhooks, tiers, publicUrl })
  }
  if (settings.roles.includes('follower')) {
    followers = openFollowers(world, networks, EMBEDDED, {
      committed: (event) => courier?.remind(event),
      replayed: (webhookIds) => courier?.remindWebhooks(webhookIds),
    })
  }
  const reloaded = () => service?.reloaded()
  return { url: publicUrl, settings, networks, followers, firstRun: made, world, reloaded, stop }
}
