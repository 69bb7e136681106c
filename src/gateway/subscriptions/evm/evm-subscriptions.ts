import { Rejection } from '../../../core/errors.ts'
import type { SubscriptionSource } from '../../../core/rpc/subscription-source.ts'
import { readLogFilter } from '../../../core/subscriptions/read-log-filter.ts'
import type { Sockets } from '../../../ports/sockets.ts'
import type { World } from '../../../ports/world.ts'
import type { NetworkService } from '../../../upstream/answers/ask-network.ts'
import { openBlockSubscribers } from './block-subscribers.ts'
import { openPendingTransactions } from './pending-transactions.ts'

const KINDS = 'newHeads, logs or newPendingTransactions'

/**
 * Feeds the subscriptions of an EVM network. Blocks and logs come from the chain that we follow
 * ourselves, so that no upstream's loss leaves a gap; pending transactions from one upstream.
 */
export function openEvmSubscriptions(
  world: World & { sockets: Sockets },
  service: NetworkService,
): SubscriptionSource & { stop(reason: string): void } {
  const blocks = openBlockSubscribers(world, service)
  const hashes = openPendingTransactions(world, service, false)
  const whole = openPendingTransactions(world, service, true)

  return {
    subscribe({ params: [kind, detail] }, subscriber) {
      if (kind === 'newHeads') return blocks.addHeads(subscriber)
      if (kind === 'logs') {
        const filter = readLogFilter(detail)
        return filter instanceof Rejection ? filter : blocks.addLogs(filter, subscriber)
      }
      if (kind !== 'newPendingTransactions') return invalid(`params[0] must be ${KINDS}`)
      if (detail === undefined || detail === null || detail === false) return hashes.add(subscriber)
      return detail === true ? whole.add(subscriber) : invalid('params[1] must be true or false')
    },
    stop(reason) {
      blocks.stop(reason)
      hashes.stop(reason)
      whole.stop(reason)
    },
  }
}

function invalid(what: string): Rejection {
  return new Rejection('invalid_params', `Invalid params: ${what}.`)
}
