import { isHash32, quantityToNumber } from '../../../core/hex.ts'
import { rawMembers } from '../../../core/json/json-scan.ts'
import { isJsonObject } from '../../../core/json/json-value.ts'
import type {
  SubscriptionConnection,
  SubscriptionSession,
} from '../../../upstream/subscription/upstream-subscription.ts'

type State = {
  connection: SubscriptionConnection
  /** Undefined where any chain is right. */
  chainId: number | undefined
  whole: boolean
  isChainRight: boolean
  subscription: string | null
  hasDelivered: boolean
}

const CHAIN_CALL_ID = 1
const SUBSCRIBE_CALL_ID = 2

/** Asks one upstream for its pending transactions; `heard` gets each as the node wrote it. */
export function openPendingSession(
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
