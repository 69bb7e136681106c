import { type Follower, followNetwork } from '../../follower/follow-network.ts'
import { openReplayScheduler } from '../../follower/replay/replay-scheduler.ts'
import { openStandingQueries } from '../../follower/standing-queries.ts'
import type { RecordedEvent } from '../../tables/chain/chain-events.ts'
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

/** Told after each commit that there is something to send. */
type Listeners = {
  committed(event: RecordedEvent): void
  /** These webhooks have something to send again. */
  replayed(webhookIds: readonly string[]): void
}

/**
 * Keeps one follower for each EVM network that is served, through reloads too, and works on
 * replays beside them.
 */
export function openFollowers(
  drivers: Drivers,
  networks: NetworkSet,
  holder: string,
  { committed, replayed }: Listeners,
): Followers {
  const { clock, database, signals, telemetry } = drivers
  const [high = 0, low = 0] = new Uint32Array(drivers.entropy.bytes(8).slice().buffer)
  const standing = openStandingQueries({ database, telemetry, seed: [high, low] })
  const needs = { clock, database, telemetry, standing, holder, committed }
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
    committed: replayed,
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
