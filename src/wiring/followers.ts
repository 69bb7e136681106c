import { type Follower, followNetwork } from '../follower/follow-network.ts'
import { openReplays } from '../follower/replay/replay.ts'
import { openStandingQueries } from '../follower/standing-queries.ts'
import type { RecordedEvent } from '../tables/chain/chain-events.ts'
import type { NetworkService } from '../upstream/answers/ask-network.ts'
import type { NetworkSet } from './network-set.ts'
import type { World } from './world.ts'

export type Followers = {
  /** Where the follower of a network stands; null while it has no block yet. */
  statusOf(networkId: string): ReturnType<Follower['status']>
  /** That follower has not reached a head that its network had several block times ago. */
  isBehind(networkId: string): boolean
  stop(): Promise<void>
}

/** Who is told, after each commit, that there is something to send. */
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
  world: World,
  networks: NetworkSet,
  holder: string,
  { committed, replayed }: Listeners,
): Followers {
  const { clock, database, signals, telemetry } = world
  const [high = 0, low = 0] = new Uint32Array(world.entropy.bytes(8).slice().buffer)
  const standing = openStandingQueries({ database, telemetry, seed: [high, low] })
  const running = new Map<string, { service: NetworkService; follower: Follower }>()
  let turn: Promise<unknown> = Promise.resolve()

  const reconcile = async () => {
    const served = networks.list().filter(({ network }) => network.kind === 'evm')
    for (const [id, { service, follower }] of running) {
      if (served.includes(service)) continue
      running.delete(id)
      await follower.stop()
    }
    for (const service of served) {
      const { id } = service.network
      if (running.has(id)) continue
      const needs = { clock, database, telemetry, standing, holder, committed }
      running.set(id, { service, follower: followNetwork(needs, service) })
    }
  }
  /** One after the other, so that no network is ever followed twice. */
  const changed = () => {
    turn = turn.then(reconcile)
  }
  changed()
  const deaf = networks.subscribe(changed)
  const services = networks.list
  const hasRoom = () => !world.storeHealth.room().isLow
  const needs = { clock, database, telemetry, services, hasRoom, holder }
  const replays = openReplays({ ...needs, committed: replayed })
  const unreminded = signals.subscribe('webhooks', replays.remind)

  return {
    statusOf: (id) => running.get(id)?.follower.status() ?? null,
    isBehind: (id) => running.get(id)?.follower.isBehind() ?? false,
    async stop() {
      deaf()
      unreminded()
      await turn
      const followers = [...running.values()].map(({ follower }) => follower)
      await Promise.all([...followers, replays].map((one) => one.stop()))
    },
  }
}
