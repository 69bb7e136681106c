import { hashKey } from '../../core/access/hash-key.ts'
import { deliveryPriceCentiCu } from '../../core/delivery/delivery-price.ts'
import { Rejection } from '../../core/errors.ts'
import { rpcCode } from '../../core/rpc/jsonrpc.ts'
import type {
  OpenSubscription,
  Subscriber,
  SubscriptionCall,
  SubscriptionSource,
} from '../../core/rpc/subscription-source.ts'
import {
  notificationFrame,
  subscriptionAction,
} from '../../core/subscriptions/subscription-action.ts'
import type { SpendGuard } from '../../metering/spend-guard.ts'
import type { UsageMeter } from '../../metering/usage-meter.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import type { Caller } from '../app-directory.ts'
import { unanswered } from '../call-refusals.ts'
import type { FrameMemo } from './frame-memo.ts'
import {
  type SubscriptionReply,
  subscriptionError,
  subscriptionResult,
} from './subscription-calls.ts'

export type SubscriptionNeeds = {
  guard: Pick<SpendGuard, 'capacity'>
  meter: Pick<UsageMeter, 'add'>
  /** Null where nothing feeds subscriptions of the network. */
  sourceOf(service: NetworkService): SubscriptionSource | null
  subscriptionsMax(): number
  frameOf: FrameMemo
}

export type SubscribedConnection = {
  /** The app and the network, as they were looked up last. */
  who(): { caller: Caller; service: NetworkService }
  notify(notification: string, text: string, bytes: number): void
  /** The month is used up. */
  spent(refusal: Rejection): void
  /** Something may be missing: the client must connect anew. */
  lost(reason: string): void
}

export type ConnectionSubscriptions = ReturnType<typeof openConnectionSubscriptions>

type Live = {
  idText: string
  notification: string
  paramsChars: number
  before: string
  after: string
  /** Results that came before the subscribing call was answered; null from then on. */
  early: string[] | null
  /** Undefined while its source is being asked. */
  source: OpenSubscription | undefined
  isOver: boolean
}

type State = {
  needs: SubscriptionNeeds
  connection: SubscribedConnection
  live: Map<string, Live>
  /** The params of all that are live. */
  paramsChars: number
  lastNumber: number
}

const ID_HEX_CHARS = 32

/** The answer goes out within a moment; so many blocks later, the client does not read. */
const EARLY_MAX = 1000

/** Filters are held as long as the connection: five with a thousand addresses, or a thousand. */
const PARAMS_CHARS_MAX = 256 * 1024

const TOO_LONG = `The params of this connection's subscriptions have more than ${PARAMS_CHARS_MAX} characters, which is its limit.`

/** Stands among early results for the end of the subscription; no JSON is empty. */
const DONE = ''

/** go-ethereum's code for errors without one of their own. */
const SERVER_ERROR = -32_000

export function openConnectionSubscriptions(
  needs: SubscriptionNeeds,
  connection: SubscribedConnection,
) {
  const live = new Map<string, Live>()
  const state: State = { needs, connection, live, paramsChars: 0, lastNumber: 0 }
  return {
    get size(): number {
      return live.size
    },
    /** The subscription calls of one frame, whose notifications wait until it was answered. */
    openFrame() {
      const made: Live[] = []
      return {
        serve(call: SubscriptionCall): SubscriptionReply | Promise<SubscriptionReply> {
          const { kind } = connection.who().service.network
          const action = subscriptionAction(kind, call.method)
          if (action?.kind !== 'subscribe') return unsubscribe(state, call)
          return subscribe(state, call, action.notification, made)
        },
        /** The answer is on its way, so notifications may follow it. */
        answered(): void {
          for (const one of made.splice(0)) release(state, one)
        },
      }
    },
    closeAll(): void {
      for (const one of [...live.values()]) end(state, one)
    },
  }
}

async function subscribe(
  state: State,
  call: SubscriptionCall,
  notification: string,
  made: Live[],
): Promise<SubscriptionReply> {
  const { needs, connection, live } = state
  const { caller, service } = connection.who()
  const source = needs.sourceOf(service)
  if (!source) {
    const words = `Subscriptions are not served on ${service.network.id}.`
    return refusal(new Rejection('upstream_failed', words))
  }
  const max = needs.subscriptionsMax()
  if (live.size >= max) {
    const words = `This connection has ${max} subscriptions, which is its limit.`
    return refusal(new Rejection('too_many_requests', words))
  }
  const paramsChars = call.paramsText.length
  if (state.paramsChars + paramsChars > PARAMS_CHARS_MAX) {
    return refusal(new Rejection('too_many_requests', TOO_LONG))
  }
  const one = newLive(state, service, notification, call.paramsText)
  // Its place is taken before the source is asked, so that calls at the same time count too.
  live.set(one.idText, one)
  state.paramsChars += paramsChars
  const asked = { ...call, team: caller.app.teamId }
  const opening = Promise.try(() => source.subscribe(asked, subscriberOf(state, one)))
  // A failure of an upstream is the caller's answer, not the connection's end.
  const opened = await opening.catch((thrown) => unanswered(service.network.id, thrown))
  if (opened instanceof Rejection) {
    end(state, one)
    return refusal(opened)
  }
  one.source = opened
  // The connection ended meanwhile.
  if (one.isOver) opened.close()
  made.push(one)
  return subscriptionResult(one.idText)
}

function unsubscribe(state: State, { params }: SubscriptionCall): SubscriptionReply {
  const [id] = params
  const one = state.live.get(typeof id === 'string' ? JSON.stringify(id) : String(id))
  if (!one) return unknownId(state.connection.who().service)
  end(state, one)
  return subscriptionResult('true')
}

function newLive(
  state: State,
  { network }: NetworkService,
  notification: string,
  paramsText: string,
): Live {
  const ordinal = ++state.lastNumber
  const idText = network.kind === 'evm' ? `"${hexId(paramsText, ordinal)}"` : String(ordinal)
  const frame = notificationFrame(network.kind, notification, idText)
  return {
    idText,
    notification,
    paramsChars: paramsText.length,
    ...frame,
    early: [],
    source: undefined,
    isOver: false,
  }
}

function subscriberOf(state: State, one: Live): Subscriber {
  const { connection } = state
  return {
    notify(resultText) {
      if (one.isOver) return
      if (one.early === null) return send(state, one, resultText)
      one.early.push(resultText)
      if (one.early.length > EARLY_MAX) connection.lost('The connection reads too slowly.')
    },
    done() {
      if (one.early === null) end(state, one)
      // Other results are still to be told before it.
      else one.early.push(DONE)
    },
    lost(reason) {
      if (!one.isOver) connection.lost(reason)
    },
  }
}

function release(state: State, one: Live): void {
  const { early } = one
  one.early = null
  for (const text of early ?? []) {
    if (one.isOver) return
    if (text === DONE) end(state, one)
    else send(state, one, text)
  }
}

/** Hot path: each notification of each client comes through here. */
function send({ needs, connection }: State, one: Live, resultText: string): void {
  const { caller, service } = connection.who()
  const { account, app } = caller
  const spent = needs.guard.capacity(account)
  if (spent) {
    connection.spent(spent)
    return
  }
  const { text, bytes } = needs.frameOf(one.before, resultText, one.after)
  const price = deliveryPriceCentiCu(bytes)
  needs.meter.add(account, app.id, service.network.id, one.notification, price)
  connection.notify(one.notification, text, bytes)
}

function end(state: State, one: Live): void {
  one.isOver = true
  if (state.live.delete(one.idText)) state.paramsChars -= one.paramsChars
  one.source?.close()
}

function refusal({ code, message }: Rejection): SubscriptionReply {
  return subscriptionError(rpcCode(code), message)
}

/** In the words of the nodes of each kind. */
function unknownId({ network }: NetworkService): SubscriptionReply {
  if (network.kind === 'evm') return subscriptionError(SERVER_ERROR, 'subscription not found')
  return subscriptionError(rpcCode('invalid_params'), 'Invalid subscription id.')
}

/**
 * An id counts on its connection alone. Clients that subscribe to the same in the same order get
 * the same one, so that what they are told is the same text. As go-ethereum writes them: without
 * leading zeros, since clients may take it for a quantity.
 */
function hexId(paramsText: string, ordinal: number): string {
  const digits = hashKey(`${ordinal} ${paramsText}`).slice(0, ID_HEX_CHARS)
  return `0x${digits.replace(/^0+(?=.)/, '')}`
}
