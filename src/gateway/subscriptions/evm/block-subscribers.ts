import type { RawObject } from '../../../core/chain/block.ts'
import { isZeroBloom } from '../../../core/chain/logs-bloom.ts'
import { quirksOf } from '../../../core/chain/quirks.ts'
import { isBloom } from '../../../core/chain/raw-forms.ts'
import { Rejection } from '../../../core/errors.ts'
import type { LogKeys } from '../../../core/logs/log-filter.ts'
import type { OpenSubscription, Subscriber } from '../../../core/rpc/subscription-source.ts'
import type { World } from '../../../ports/world.ts'
import type { NetworkService } from '../../../upstream/answers/ask-network.ts'
import { type ChainFollower, followChain } from './chain-follower.ts'
import { openLogSubscribers } from './log-subscribers.ts'

/** The subscribers of new heads and of logs, on one chain. */
export type BlockSubscribers = {
  addHeads(subscriber: Subscriber): OpenSubscription | Rejection
  addLogs(filter: LogKeys, subscriber: Subscriber): OpenSubscription | Rejection
  /** Tells all that they are lost. */
  stop(reason: string): void
}

/** The chain is followed for so long after the last subscriber has left: most come back. */
const GRACE_MS = 30_000

/** Nobody follows the chain while there are no subscribers. */
export function openBlockSubscribers(world: World, service: NetworkService): BlockSubscribers {
  const all = new Set<Subscriber>()
  const heads = new Set<Subscriber>()
  const logs = openLogSubscribers()
  let follower: ChainFollower | null = null
  let cancelEnd = () => {}

  const end = () => {
    cancelEnd()
    follower?.stop()
    follower = null
  }
  const lose = (reason: string) => {
    end()
    for (const subscriber of [...all]) subscriber.lost(reason)
  }
  const follow = () =>
    followChain(world, service, {
      wantsLogs: (raw) => logs.size > 0 && logs.mayWant(bloomOf(service, raw), service.bloomBits),
      advanced(replaced, added, headText) {
        for (const { logs: removed } of replaced) {
          for (const log of (removed ?? []).toReversed()) logs.notify(log, true)
        }
        for (const subscriber of [...heads]) subscriber.notify(headText)
        return added.filter((log) => logs.notify(log, false))
      },
      lost: lose,
    })

  const add = (subscriber: Subscriber, enter: () => () => void): OpenSubscription | Rejection => {
    cancelEnd()
    follower ??= follow()
    if (!follower) return new Rejection('upstream_failed', noHead(service.network.id))
    all.add(subscriber)
    const leave = enter()
    return {
      close() {
        leave()
        if (!all.delete(subscriber) || all.size > 0 || follower === null) return
        cancelEnd = world.clock.after(GRACE_MS, end)
      },
    }
  }

  return {
    addHeads: (subscriber) =>
      add(subscriber, () => {
        heads.add(subscriber)
        return () => void heads.delete(subscriber)
      }),
    addLogs: (filter, subscriber) => add(subscriber, () => logs.add(filter, subscriber)),
    stop: lose,
  }
}

/** The block's bloom; null where it does not tell of all logs. */
function bloomOf({ network }: NetworkService, raw: RawObject): Uint8Array | null {
  const quirks = quirksOf(network.chainId)
  if (!isBloom(raw.logsBloom) || quirks.uncounted !== 'none') return null
  const bloom = Uint8Array.fromHex(raw.logsBloom.slice(2))
  return quirks.bloomMayBeZero && isZeroBloom(bloom) ? null : bloom
}

function noHead(networkId: string): string {
  return `No ${networkId} node has told of a block yet; please try again.`
}
