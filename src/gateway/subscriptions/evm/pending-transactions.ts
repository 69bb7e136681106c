import { Rejection } from '../../../core/errors.ts'
import type { OpenSubscription, Subscriber } from '../../../core/rpc/subscription-source.ts'
import type { Sockets } from '../../../ports/sockets.ts'
import type { World } from '../../../ports/world.ts'
import type { NetworkService } from '../../../upstream/answers/ask-network.ts'
import type { Upstream } from '../../../upstream/node/upstream.ts'
import {
  openUpstreamSubscription,
  type UpstreamSubscription,
} from '../../../upstream/subscription/upstream-subscription.ts'
import { openPendingSession } from './pending-session.ts'

/** The subscribers of pending transactions, of hashes or of whole ones. */
export type PendingTransactions = {
  add(subscriber: Subscriber): OpenSubscription | Rejection
  stop(reason: string): void
}

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
): PendingTransactions {
  const subscribers = new Set<Subscriber>()
  let source: UpstreamSubscription<unknown> | null = null
  let cancelEnd = () => {}

  const end = () => {
    cancelEnd()
    source?.stop()
    source = null
  }
  const { network } = service
  const open = () =>
    openUpstreamSubscription(world, {
      network: network.id,
      logEvent: 'pending_socket',
      handshakeMsMax: HANDSHAKE_MS_MAX,
      messageCharsMax: MESSAGE_CHARS_MAX,
      nextUpstream: (previous) => nextUpstream(service, previous),
      openSession: (connection) =>
        openPendingSession(connection, network.chainId, whole, (text) => {
          for (const subscriber of [...subscribers]) subscriber.notify(text)
        }),
    })

  return {
    add(subscriber) {
      if (nextUpstream(service, null) === null) {
        return new Rejection('upstream_failed', noSocket(network.id))
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
    stop(reason) {
      end()
      for (const subscriber of [...subscribers]) subscriber.lost(reason)
    },
  }
}

/** The next one after the last that has a socket, those in use first. */
function nextUpstream({ pool }: NetworkService, last: Upstream | null): Upstream | null {
  const { upstreams, followStateOf } = pool.selection
  const able = upstreams.filter(({ spec, chain }) => spec.ws !== undefined && chain !== 'wrong')
  const used = able.filter((upstream) => followStateOf.get(upstream) === 'used')
  const choice = used.length > 0 ? used : able
  const at = last === null ? -1 : choice.indexOf(last)
  return choice[(at + 1) % choice.length] ?? null
}

function noSocket(networkId: string): string {
  return `Pending transactions are not served on ${networkId}: no upstream has a WebSocket address.`
}
