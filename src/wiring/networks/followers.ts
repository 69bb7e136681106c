import type { CourierHints } from '../../courier/hint-couriers.ts'
import { type Follower, followNetwork } from '../../follower/follow-network.ts'
import { openNetworkLeases } from '../../follower/network-leases.ts'
import { openReplayScheduler } from '../../follower/replay/replay-scheduler.ts'
import { openStandingQueries } from '../../follower/standing-queries.ts'
import type { KnownNumbers } from '../../tables/chain/known-numbers.ts'
import type { Drivers } from '../drivers.ts'
import type { NetworkSet } from './network-set.ts'
import { perNetwork } from './per-network.ts'

export type Followers = {
  /** The last block of a network's follower; null while it has none yet. */
  statusOf(networkId: string): ReturnType<Follower['status']>
  /** The follower has not reached a head that its network had several block times ago. */
  isBehind(networkId: string): boolean
  stop(): Promise<void>
}

/**
 * Keeps one follower for each EVM network that is served, through reloads too, and works on
 * replays beside them.
 */
export function openFollowers(
  drivers: Drivers & { name: string },
  networks: NetworkSet,
  couriers: CourierHints,
  known: KnownNumbers,
): Followers {
  const { clock, database, signals, telemetry, name: holder } = drivers
  const [high = 0, low = 0] = new Uint32Array(drivers.entropy.bytes(8).slice().buffer)
  const standing = openStandingQueries({ clock, database, telemetry, seed: [high, low] })
  const leases = openNetworkLeases({ clock, database, telemetry }, holder)
  const committed = couriers.remind
  const needs = { clock, database, telemetry, standing, leases, known, committed }
  const followers = perNetwork<Follower>(telemetry, networks, {
    kind: 'evm',
    failedEvent: 'follower_unavailable',
    open: (service) => followNetwork(needs, service),
    close: (follower) => follower.stop(),
  })
  const services = networks.list
  const hasRoom = () => !drivers.storeHealth.room().isLow
  const replays = openReplayScheduler({
    clock,
    database,
    telemetry,
    services,
    committed: couriers.remindWebhooks,
    hasRoom,
    holder,
  })
  const unsubscribe = signals.subscribe('webhooks', replays.wake)

  return {
    statusOf: (id) => followers.byId(id)?.status() ?? null,
    isBehind: (id) => followers.byId(id)?.isBehind() ?? false,
    async stop() {
      unsubscribe()
      await Promise.all([followers.stop(), replays.stop()])
    },
  }
}
