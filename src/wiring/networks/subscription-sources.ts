import type { SubscriptionSource } from '../../core/rpc/subscription-source.ts'
import { openEvmSubscriptions } from '../../gateway/subscriptions/evm/evm-subscriptions.ts'
import { openSolanaSubscriptions } from '../../gateway/subscriptions/solana/solana-subscriptions.ts'
import type { Sockets } from '../../ports/sockets.ts'
import type { World } from '../../ports/world.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import type { NetworkSet } from '../networks/network-set.ts'

/** A source that can be stopped, which its subscribers are told. */
type OpenSource = SubscriptionSource & { stop(reason: string): void }

export type SubscriptionSources = {
  /** The source of a network that is served; null once it is not. */
  of(service: NetworkService): SubscriptionSource | null
  stop(): void
}

const CHANGED = 'The network was configured anew; please connect again.'
const STOPPED = 'The service is about to stop; please connect again.'

/** Keeps one source for each network that somebody has subscribed to, through reloads too. */
export function openSubscriptionSources(
  world: World & { sockets: Sockets },
  networks: NetworkSet,
): SubscriptionSources {
  const open = new Map<NetworkService, OpenSource>()

  const unsubscribe = networks.subscribe(() => {
    const served: readonly NetworkService[] = networks.list()
    for (const [service, source] of open) {
      if (served.includes(service)) continue
      open.delete(service)
      source.stop(CHANGED)
    }
  })

  return {
    of(service) {
      const known = open.get(service)
      if (known !== undefined) return known
      // A call may hold on to a network that was just replaced.
      if (!(networks.list() as readonly NetworkService[]).includes(service)) return null
      const isEvm = service.network.kind === 'evm'
      const source = (isEvm ? openEvmSubscriptions : openSolanaSubscriptions)(world, service)
      open.set(service, source)
      return source
    },
    stop() {
      unsubscribe()
      for (const source of open.values()) source.stop(STOPPED)
      open.clear()
    },
  }
}
