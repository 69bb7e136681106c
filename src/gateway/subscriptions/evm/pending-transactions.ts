import { Rejection } from '../../../core/errors.ts'
import { isHash32, quantityToNumber } from '../../../core/hex.ts'
import { rawMembers } from '../../../core/json/json-scan.ts'
import { isJsonObject } from '../../../core/json/json-value.ts'
import type { OpenSubscription, Subscriber } from '../../../core/rpc/subscription-source.ts'
import type { Sockets } from '../../../ports/sockets.ts'
import type { World } from '../../../ports/world.ts'
import type { NetworkService } from '../../../upstream/answers/ask-network.ts'
import type { Upstream } from '../../../upstream/node/upstream.ts'
import {
  openUpstreamSubscription,
  type SubscriptionConnection,
  type SubscriptionSession,
  type UpstreamSubscription,
} from '../../../upstream/subscription/upstream-subscription.ts'

export type PendingTransactions = {
  add(subscriber: Subscriber): OpenSubscription | Rejection
  stop(reason: string): void
}

type State = {
  connection: SubscriptionConnection
  /** Undefined where any chain is right. */
  chainId: number | undefined
  whole: boolean
  isChainRight: boolean
  subscription: string | null
  hasDelivered: boolean
}

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
): PendingTransactions {
  const subscribers = new Set<Subscriber>()
  let source: UpstreamSubscription<SubscriptionSession> | null = null
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

function openPendingSession(
  connection: SubscriptionConnection,
  chainId: number | undefined,
  whole: boolean,
  heard: (resultText: string) => void,
): SubscriptionSession {
  const isChainRight = chainId === undefined
  const state: State = {
    connection,
    chainId,
    whole,
    isChainRight,
    subscription: null,
    hasDelivered: false,
  }
  return {
    get hasDelivered() {
      return state.hasDelivered
    },
    opened() {
      const kinds = ['newPendingTransactions', ...(whole ? [true] : [])]
      connection.send(callText(CHAIN_CALL_ID, 'eth_chainId', []))
      connection.send(callText(SUBSCRIBE_CALL_ID, 'eth_subscribe', kinds))
    },
    received(text) {
      const message = parsed(text)
      if (!isJsonObject(message)) return
      if (message.method !== 'eth_subscription') return takeAnswer(state, message)
      const result = transactionIn(state, message, text)
      if (result === null) return
      state.hasDelivered = true
      heard(result)
    },
    // A pool may be empty for hours, so silence tells nothing.
    checkSilence() {},
    ended() {},
  }
}

function takeAnswer(state: State, { id, result }: Readonly<Record<string, unknown>>): void {
  const { connection, chainId } = state
  if (id === CHAIN_CALL_ID && !state.isChainRight) {
    state.isChainRight = quantityToNumber(result) === chainId
    if (!state.isChainRight) connection.end(result === undefined ? 'refused' : 'wrong_chain')
  }
  if (id === SUBSCRIBE_CALL_ID && state.subscription === null) {
    if (typeof result === 'string') state.subscription = result
    else connection.end('refused')
  }
  if (state.isChainRight && state.subscription !== null) connection.established()
}

/** The transaction's text; null for anything else than was subscribed to. */
function transactionIn(
  { isChainRight, subscription, whole }: State,
  { params }: Readonly<Record<string, unknown>>,
  text: string,
): string | null {
  if (!isChainRight || !isJsonObject(params) || params.subscription !== subscription) return null
  const { result } = params
  const hash = whole && isJsonObject(result) ? result.hash : result
  if (!isHash32(hash) || (whole && !isJsonObject(result))) return null
  const paramsText = rawMembers(text).get('params') ?? ''
  return rawMembers(paramsText).get('result') ?? null
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
