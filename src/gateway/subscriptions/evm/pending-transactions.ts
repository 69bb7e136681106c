import { Rejection } from '../../../core/errors.ts'
import { isHash32, quantityToNumber } from '../../../core/hex.ts'
import { rawMembers } from '../../../core/json/json-scan.ts'
import { isJsonObject } from '../../../core/json/json-value.ts'
import type { OpenSubscription, Subscriber } from '../../../core/rpc/subscription-source.ts'
import type { Sockets } from '../../../ports/sockets.ts'
import type { World } from '../../../ports/world.ts'
import type { NetworkService } from '../../../upstream/answers/ask-network.ts'
import type { Upstream } from '../../../upstream/node/upstream.ts'
import { nextUpstream } from '../../../upstream/subscription/next-upstream.ts'
import {
  openUpstreamSubscription,
  type SubscriptionConnection,
  type SubscriptionSession,
  type UpstreamSubscription,
} from '../../../upstream/subscription/upstream-subscription.ts'

/** The socket is kept for so long after the last subscriber has left. */
const GRACE_MS = 10_000

/** From dialling to the subscription. */
const HANDSHAKE_MS_MAX = 10_000

/** The largest transaction that pools take, blobs not included, with room for its JSON. */
const MESSAGE_CHARS_MAX = 1024 * 1024

const CHAIN_CALL_ID = 1

const SUBSCRIBE_CALL_ID = 2

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
        openPendingSession(connection, network.chainId, whole, (text) => {
          for (const subscriber of [...subscribers]) subscriber.notify(text)
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

function openPendingSession(
  connection: SubscriptionConnection,
  chainId: number | undefined,
  whole: boolean,
  heard: (resultText: string) => void,
): SubscriptionSession {
  let isChainRight = chainId === undefined
  let subscription: string | null = null
  let hasDelivered = false

  const takeAnswer = ({ id, result }: Readonly<Record<string, unknown>>) => {
    if (id === CHAIN_CALL_ID && !isChainRight) {
      isChainRight = quantityToNumber(result) === chainId
      if (!isChainRight) connection.end(result === undefined ? 'refused' : 'wrong_chain')
    }
    if (id === SUBSCRIBE_CALL_ID && subscription === null) {
      if (typeof result === 'string') subscription = result
      else connection.end('refused')
    }
    if (isChainRight && subscription !== null) connection.established()
  }

  return {
    get hasDelivered() {
      return hasDelivered
    },
    opened() {
      const kinds = ['newPendingTransactions', ...(whole ? [true] : [])]
      connection.send(callText(CHAIN_CALL_ID, 'eth_chainId', []))
      connection.send(callText(SUBSCRIBE_CALL_ID, 'eth_subscribe', kinds))
    },
    received(text) {
      const message = parsed(text)
      if (!isJsonObject(message)) return
      const { method, params } = message
      if (method !== 'eth_subscription') return takeAnswer(message)
      if (!isChainRight || !isJsonObject(params) || params.subscription !== subscription) return
      const resultText = rawMembers(rawMembers(text).get('params') ?? '').get('result')
      if (resultText === undefined || !isTransaction(params.result, whole)) return
      hasDelivered = true
      heard(resultText)
    },
    // A pool may be empty for hours, so silence tells nothing.
    checkSilence() {},
    ended() {},
  }
}

function isTransaction(result: unknown, whole: boolean): boolean {
  return whole ? isJsonObject(result) && isHash32(result.hash) : isHash32(result)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function callText(id: number, method: string, params: readonly unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}
