import { rawMembers } from '../../../core/json/json-scan.ts'
import type { SolanaTopic } from '../../../core/solana/subscriptions/read-topic.ts'
import {
  readSubscriptionMessage,
  type SubscriptionNotification,
  safeInteger,
} from '../../../core/solana/subscriptions/subscription-message.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { NetworkService } from '../../../upstream/answers/ask-network.ts'
import type {
  SubscriptionConnection,
  SubscriptionSession,
} from '../../../upstream/subscription/upstream-subscription.ts'
import { headSlot, isPlausible } from './feed.ts'

export type AskedTopic = {
  readonly kind: SolanaTopic['kind']
  readonly paramsText: string
  granted(): void
  refused(refusal: TopicRefusal): void
  /** False: no node would say so. */
  heard(resultText: string): boolean
  /** Everything after this slot is told on this connection. */
  resumed(slot: number): void
}

/** A node's own error, or none within the time. */
export type TopicRefusal = { code: number; message: string } | 'no_answer'

export type TopicSession = SubscriptionSession & {
  ask(topic: AskedTopic): void
  release(topic: AskedTopic): void
}

type SessionListener = {
  opened(): void
  /** A notification of `slotSubscribe`, which keeps every connection alive. False: garbage. */
  slot(resultText: string): boolean
  ended(): void
}

type Call = { topic: AskedTopic; sentAtMs: number; isWanted: boolean }

type State = {
  clock: Clock
  service: NetworkService
  connection: SubscriptionConnection
  listener: SessionListener
  slotSubscription: string | null
  calls: Map<number, Call>
  callsMade: number
  topics: Map<string, Set<AskedTopic>>
  subscriptions: Map<AskedTopic, string>
  /** Granted ones that wait for the next slot. */
  fresh: Set<AskedTopic>
  freshSinceMs: number
  /** Notifications that came before the answer which names their subscription. */
  early: SubscriptionNotification[]
  newest: number
  newestAtMs: number
  behindSinceMs: number | null
  excludedSinceMs: number | null
}

const SLOT_CALL_ID = 1

/** A node that answers a subscription later than this does not mean to. */
const ANSWER_MS_MAX = 20_000
/** If it answers within this all the same, the subscription is ended there. */
const LATE_ANSWER_MS_MAX = 300_000

/** A node that is further behind the others for so long, or says nothing at all, is left. */
const BEHIND_SLOTS = 16
const BEHIND_MS = 3_000
const EXCLUDED_MS = 10_000

/** Where the ledger stands still no slot comes, and none is waited for. */
const NEXT_SLOT_MS = 2_000

/** Slots may overtake each other a little. */
const UNTOLD_SLOTS_MAX = 4

const EARLY_MAX = 1_000
const EARLY_CHARS_MAX = 64 * 1024

/** Subscribes to slots beside everything else: they show that a connection lives. */
export function openTopicSession(
  clock: Clock,
  service: NetworkService,
  connection: SubscriptionConnection,
  listener: SessionListener,
): TopicSession {
  const state: State = {
    clock,
    service,
    connection,
    listener,
    slotSubscription: null,
    calls: new Map(),
    callsMade: SLOT_CALL_ID,
    topics: new Map(),
    subscriptions: new Map(),
    fresh: new Set(),
    freshSinceMs: 0,
    early: [],
    newest: 0,
    newestAtMs: 0,
    behindSinceMs: null,
    excludedSinceMs: null,
  }
  return {
    get hasDelivered() {
      return state.newestAtMs > 0
    },
    opened() {
      connection.send(callText(SLOT_CALL_ID, 'slotSubscribe', '[]'))
      listener.opened()
    },
    received(text) {
      const fault = hear(state, text)
      if (fault !== null) connection.end(fault)
    },
    checkSilence: () => check(state),
    ended: () => listener.ended(),
    ask: (topic) => ask(state, topic),
    release: (topic) => release(state, topic),
  }
}

function ask(state: State, topic: AskedTopic): void {
  state.callsMade++
  const sentAtMs = state.clock.monotonicMs()
  state.calls.set(state.callsMade, { topic, sentAtMs, isWanted: true })
  state.connection.send(callText(state.callsMade, `${topic.kind}Subscribe`, topic.paramsText))
}

function release(state: State, topic: AskedTopic): void {
  const { subscriptions, topics, fresh } = state
  fresh.delete(topic)
  const subscription = subscriptions.get(topic)
  if (subscription === undefined) {
    for (const call of state.calls.values()) if (call.topic === topic) call.isWanted = false
    return
  }
  subscriptions.delete(topic)
  const sharing = topics.get(subscription)
  sharing?.delete(topic)
  if (sharing !== undefined && sharing.size > 0) return
  topics.delete(subscription)
  unsubscribe(state, topic, subscription)
}

function unsubscribe(state: State, topic: AskedTopic, subscription: string): void {
  state.callsMade++
  const text = callText(state.callsMade, `${topic.kind}Unsubscribe`, `[${subscription}]`)
  state.connection.send(text)
}

/** Takes one message; returns why the connection is no good, or null. */
function hear(state: State, text: string): string | null {
  const message = readSubscriptionMessage(text)
  if (message === null) return null
  if (message.kind === 'notification') {
    return hearNotification(state, message) ? null : 'garbage'
  }
  if (message.id === SLOT_CALL_ID) {
    if (message.kind === 'refused') return 'refused'
    state.slotSubscription = message.subscription
    state.newest = headSlot(state.service)
    state.connection.established()
    return hearEarly(state, message.subscription) ? null : 'garbage'
  }
  const call = state.calls.get(message.id)
  if (call === undefined) return null
  state.calls.delete(message.id)
  const { topic, isWanted } = call
  if (message.kind === 'granted') {
    return grant(state, topic, isWanted, message.subscription) ? null : 'garbage'
  }
  if (isWanted) topic.refused(message)
  return null
}

function grant(state: State, topic: AskedTopic, isWanted: boolean, subscription: string): boolean {
  if (!isWanted) {
    if (!state.topics.has(subscription)) unsubscribe(state, topic, subscription)
    return true
  }
  const sharing = state.topics.get(subscription) ?? new Set()
  state.topics.set(subscription, sharing.add(topic))
  state.subscriptions.set(topic, subscription)
  if (state.fresh.size === 0) state.freshSinceMs = state.clock.monotonicMs()
  state.fresh.add(topic)
  topic.granted()
  return hearEarly(state, subscription)
}

function hearNotification(state: State, message: SubscriptionNotification): boolean {
  const { method, subscription, resultText } = message
  if (subscription === state.slotSubscription) {
    return method === 'slotNotification' && hearSlot(state, resultText)
  }
  const sharing = state.topics.get(subscription)
  if (sharing !== undefined) {
    return [...sharing].every(
      (topic) => method === `${topic.kind}Notification` && topic.heard(resultText),
    )
  }
  // A node may tell something before it has said under which name.
  const isAwaited = state.calls.size > 0 || state.slotSubscription === null
  const isSmall = resultText.length <= EARLY_CHARS_MAX
  if (isAwaited && isSmall && state.early.length < EARLY_MAX) state.early.push(message)
  return true
}

function hearEarly(state: State, subscription: string): boolean {
  const own = state.early.filter((message) => message.subscription === subscription)
  state.early = state.early.filter((message) => message.subscription !== subscription)
  if (state.calls.size === 0 && state.slotSubscription !== null) state.early = []
  return own.every((message) => hearNotification(state, message))
}

function hearSlot(state: State, resultText: string): boolean {
  const members = resultText.startsWith('{') ? rawMembers(resultText) : null
  const slot = safeInteger(members?.get('slot'))
  const parent = safeInteger(members?.get('parent'))
  if (slot === null || parent === null || !isPlausible(state.service, slot)) return false
  // A node tells of every block after the one before it, so others were dropped on the way.
  if (state.newestAtMs > 0 && parent > state.newest + UNTOLD_SLOTS_MAX) return false
  state.newest = Math.max(state.newest, slot)
  state.newestAtMs = state.clock.monotonicMs()
  const isGood = state.listener.slot(resultText)
  resumeFresh(state, slot)
  return isGood
}

function resumeFresh(state: State, slot: number): void {
  const { fresh } = state
  if (fresh.size === 0) return
  state.fresh = new Set()
  for (const topic of fresh) topic.resumed(slot)
}

/** Runs every second. */
function check(state: State): void {
  const { clock, service, calls, connection } = state
  const nowMs = clock.monotonicMs()
  const head = headSlot(service)
  if (state.fresh.size > 0 && nowMs - state.freshSinceMs >= NEXT_SLOT_MS) {
    resumeFresh(state, Math.max(state.newest, head))
  }
  for (const [id, call] of calls) {
    const ageMs = nowMs - call.sentAtMs
    if (ageMs >= ANSWER_MS_MAX && call.isWanted) call.topic.refused('no_answer')
    if (ageMs >= LATE_ANSWER_MS_MAX) calls.delete(id)
  }
  state.behindSinceMs = head > state.newest + BEHIND_SLOTS ? (state.behindSinceMs ?? nowMs) : null
  if (state.behindSinceMs !== null && nowMs - state.behindSinceMs >= BEHIND_MS) {
    const isSilent = nowMs - state.newestAtMs >= BEHIND_MS
    connection.end(isSilent ? 'silent' : 'behind')
    return
  }
  state.excludedSinceMs = isWorst(state) ? (state.excludedSinceMs ?? nowMs) : null
  const excludedMs = state.excludedSinceMs === null ? 0 : nowMs - state.excludedSinceMs
  if (excludedMs >= EXCLUDED_MS) connection.end('unhealthy')
}

/** Its upstream is asked nothing else any more, and another one could tell the same. */
function isWorst({ service, connection }: State): boolean {
  const { upstreams, stateOf } = service.pool.selection
  if (stateOf.get(connection.upstream) !== 'excluded') return false
  return upstreams.some(
    (upstream) => upstream.spec.ws !== undefined && stateOf.get(upstream) === 'used',
  )
}

function callText(id: number, method: string, paramsText: string): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${paramsText}}`
}
