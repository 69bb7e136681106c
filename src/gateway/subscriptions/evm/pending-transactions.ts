import { Rejection } from '../../../core/errors.ts'
import { isHash32 } from '../../../core/hex.ts'
import { rawMembers } from '../../../core/json/json-scan.ts'
import { isJsonObject } from '../../../core/json/json-value.ts'
import type { OpenSubscription, Subscriber } from '../../../core/rpc/subscription-source.ts'
import type { Sockets } from '../../../ports/sockets.ts'
import type { World } from '../../../ports/world.ts'
import type { NetworkService } from '../../../upstream/answers/ask-network.ts'
import type { Upstream } from '../../../upstream/node/upstream.ts'
import { openEvmSession } from '../../../upstream/subscription/evm-session.ts'
import { nextUpstream } from '../../../upstream/subscription/next-upstream.ts'
import {
  openUpstreamSubscription,
  type SubscriptionSession,
  type UpstreamSubscription,
} from '../../../upstream/subscription/upstream-subscription.ts'

/** The socket is kept for so long after the last subscriber has left. */
const GRACE_MS = 10_000

/** From dialling to the subscription. */
const HANDSHAKE_MS_MAX = 10_000

/** The largest transaction that pools take, blobs not included, with room for its JSON. */
const MESSAGE_CHARS_MAX = 1024 * 1024

/** One upstream tells of them at a time, and all subscribers share its socket. */
export function openPendingTransactions(
  world: World & { sockets: Sockets },
  service: NetworkService,
  whole: boolean,
) {
  const subscribers = new Set<Subscriber>()
  let source: UpstreamSubscription<SubscriptionSession> | null = null
  let cancelEnd = () => {}

  const end = () => {
    cancelEnd()
    source?.stop()
    source = null
  }
  const notified = (result: unknown, text: string) => {
    const resultText = rawMembers(rawMembers(text).get('params') ?? '').get('result')
    if (resultText === undefined || !isTransaction(result, whole)) return false
    for (const subscriber of [...subscribers]) subscriber.notify(resultText)
    return true
  }
  const { network, pool } = service
  // Nodes are judged by what they tell here, not by how they answer calls.
  const next = (last: Upstream | null) =>
    nextUpstream({ ...pool.selection, stateOf: pool.selection.followStateOf }, last)
  const open = () =>
    openUpstreamSubscription(world, {
      network: network.id,
      logEvent: 'pending_socket',
      handshakeMsMax: HANDSHAKE_MS_MAX,
      messageCharsMax: MESSAGE_CHARS_MAX,
      nextUpstream: next,
      openSession: (connection) =>
        openEvmSession(connection, {
          chainId: network.chainId,
          params: ['newPendingTransactions', ...(whole ? [true] : [])],
          notified,
          // A pool may be empty for hours, so silence tells nothing.
          checkSilence() {},
        }),
    })

  return {
    add(subscriber: Subscriber): OpenSubscription | Rejection {
      if (next(null) === null) {
        const words = `Pending transactions are not served on ${network.id}`
        return new Rejection('upstream_failed', `${words}: no upstream has a WebSocket address.`)
      }
      cancelEnd()
      source ??= open()
      subscribers.add(subscriber)
      return {
        close() {
          if (!subscribers.delete(subscriber) || subscribers.size > 0) return
          cancelEnd = world.clock.after(GRACE_MS, end)
        },
      }
    },
    stop(reason: string) {
      end()
      for (const subscriber of [...subscribers]) subscriber.lost(reason)
    },
  }
}

function isTransaction(result: unknown, whole: boolean): boolean {
  return whole ? isJsonObject(result) && isHash32(result.hash) : isHash32(result)
}
