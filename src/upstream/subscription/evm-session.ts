import { quantityToNumber } from '../../core/hex.ts'
import { isJsonObject, parseJson } from '../../core/json/json-value.ts'
import type { SubscriptionConnection, SubscriptionSession } from './upstream-subscription.ts'

type EvmSubscription = {
  /** Undefined where any chain is the right one. */
  chainId: number | undefined
  /** The params of `eth_subscribe`. */
  params: readonly unknown[]
  /** The upstream has granted the subscription. */
  established?(): void
  /** Takes a result and its whole message; false where it is nothing that was subscribed to. */
  notified(result: unknown, text: string): boolean
  checkSilence(): void
}

type EvmMessage =
  /** The answer to a call of ours; `result` is undefined where it was refused. */
  | { kind: 'answer'; id: number; result: unknown }
  | { kind: 'notification'; subscription: string; result: unknown }

const CHAIN_CALL_ID = 1
const SUBSCRIBE_CALL_ID = 2

/** The exchange of messages on a connection that serves one `eth_subscribe`. */
export function openEvmSession(
  connection: SubscriptionConnection,
  { chainId, params, established, notified, checkSilence }: EvmSubscription,
): SubscriptionSession {
  // The socket may lead elsewhere than the address that polls ask, so its chain is checked too.
  let isChainRight = chainId === undefined
  let subscription: string | null = null
  /** A first notification may overtake the answer that names its subscription. */
  let early: string | null = null
  let hasDelivered = false

  const isSubscribed = () => isChainRight && subscription !== null
  const takeAnswer = (id: number, result: unknown) => {
    if (isSubscribed()) return
    if (id === CHAIN_CALL_ID && !isChainRight) {
      isChainRight = quantityToNumber(result) === chainId
      if (!isChainRight) connection.end(result === undefined ? 'refused' : 'wrong_chain')
    }
    if (id === SUBSCRIBE_CALL_ID && subscription === null) {
      if (typeof result === 'string') subscription = result
      else connection.end('refused')
    }
    if (!isSubscribed()) return
    established?.()
    connection.established()
    if (early !== null) received(early)
    early = null
  }
  const received = (text: string) => {
    const message = readEvmMessage(text)
    if (message?.kind === 'answer') takeAnswer(message.id, message.result)
    if (message?.kind !== 'notification') return
    if (!isSubscribed()) early = text
    else if (message.subscription === subscription && notified(message.result, text)) {
      hasDelivered = true
    }
  }

  return {
    get hasDelivered() {
      return hasDelivered
    },
    opened() {
      connection.send(callText(CHAIN_CALL_ID, 'eth_chainId', []))
      connection.send(callText(SUBSCRIBE_CALL_ID, 'eth_subscribe', params))
    },
    received,
    checkSilence,
    ended() {},
  }
}

/** Null for anything else, which must not disturb us, whatever is at the other end. */
export function readEvmMessage(text: string): EvmMessage | null {
  const message = parseJson(text)
  if (!isJsonObject(message)) return null
  const { id, method, params, result, error } = message
  if (method === 'eth_subscription') {
    if (!isJsonObject(params) || typeof params.subscription !== 'string') return null
    return { kind: 'notification', subscription: params.subscription, result: params.result }
  }
  if (typeof id !== 'number') return null
  const isRefused = error !== undefined && error !== null
  return { kind: 'answer', id, result: isRefused ? undefined : result }
}

function callText(id: number, method: string, params: readonly unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}
