import type { Settings } from '../../config/config.ts'
import { type Courier, openCourier } from '../../courier/courier.ts'
import { type CourierHints, hintCouriers } from '../../courier/hint-couriers.ts'
import { type Follower, followNetwork } from '../../follower/follow-network.ts'
import { openNetworkLeases } from '../../follower/network-leases.ts'
import { openReplayScheduler } from '../../follower/replay/replay-scheduler.ts'
import { openStandingQueries } from '../../follower/standing-queries.ts'
import { type KnownNumbers, openKnownNumbers } from '../../tables/chain/known-numbers.ts'
import type { ProcessDrivers } from '../process-drivers.ts'
import type { NetworkSet } from './network-set.ts'
import { perNetwork } from './per-network.ts'

export type DeliveryRoles = ReturnType<typeof openDeliveryRoles>

type Inputs = {
  drivers: ProcessDrivers
  settings: Settings
  networks: NetworkSet
  publicUrl: string
  /** An event was committed here. */
  committed(): void
}

/** The roles that make deliveries and send them; null where this process does not have one. */
export function openDeliveryRoles(inputs: Inputs) {
  const { drivers, settings, networks, publicUrl } = inputs
  const { roles, tiers } = settings
  const known = openKnownNumbers(drivers)
  const courier: Courier | null = roles.includes('courier')
    ? openCourier(drivers, {
        name: drivers.name,
        egress: drivers.egress,
        known,
        settings: settings.webhooks,
        tiers,
        publicUrl,
      })
    : null
  const couriers = courier ?? hintCouriers(drivers.signals)
  const remind: typeof couriers.remind = (recorded) => {
    const { event } = recorded
    if (event !== null) known.announce({ ...recorded, event })
    couriers.remind(recorded)
    inputs.committed()
  }
  const hints = { remind, remindWebhooks: couriers.remindWebhooks }
  const followers = roles.includes('follower')
    ? openFollowers(drivers, networks, hints, known)
    : null
  return { courier, followers, known }
}

/**
 * Keeps one follower for each EVM network that is served, through reloads too, and works on
 * replays beside them.
 */
function openFollowers(
  drivers: ProcessDrivers,
  networks: NetworkSet,
  couriers: CourierHints,
  known: KnownNumbers,
) {
  const { name: holder } = drivers
  const [high = 0, low = 0] = new Uint32Array(drivers.entropy.bytes(8).slice().buffer)
  const standing = openStandingQueries(drivers, [high, low])
  const leases = openNetworkLeases(drivers, holder)
  const engine = { standing, leases, known, committed: couriers.remind }
  const followers = perNetwork<Follower>(drivers.telemetry, networks, {
    kind: 'evm',
    failedEvent: 'follower_unavailable',
    open: (service) => followNetwork(drivers, engine, service),
    close: (follower) => follower.stop(),
  })
  const replays = openReplayScheduler(drivers, {
    services: networks.list,
    committed: couriers.remindWebhooks,
    hasRoom: () => !drivers.storeHealth.room().isLow,
    holder,
  })
  const unsubscribe = drivers.signals.subscribe('webhooks', replays.wake)

  return {
    /** The last block of a network's follower; null while it has none yet. */
    statusOf: (id: string) => followers.byId(id)?.status() ?? null,
    /** The follower has not reached a head that its network had several block times ago. */
    isBehind: (id: string) => followers.byId(id)?.isBehind() ?? false,
    async stop(): Promise<void> {
      unsubscribe()
      await Promise.all([followers.stop(), replays.stop()])
    },
  }
}
