import { openSemaphore, type Semaphore } from '../../../core/async/semaphore.ts'
import { Rejection } from '../../../core/errors.ts'
import type { SubscriptionSource } from '../../../core/rpc/subscription-source.ts'
import { isSolanaError } from '../../../core/solana/solana-error.ts'
import { readTopic, type SolanaTopic } from '../../../core/solana/subscriptions/read-topic.ts'
import type { Sockets } from '../../../ports/sockets.ts'
import type { World } from '../../../ports/world.ts'
import type { NetworkService } from '../../../upstream/answers/ask-network.ts'
import { nextUpstream } from '../../../upstream/subscription/next-upstream.ts'
import {
  openUpstreamSubscription,
  type SubscriptionConnection,
  type UpstreamSubscription,
} from '../../../upstream/subscription/upstream-subscription.ts'
import { openSharedTopic, type SharedTopic } from './shared-topic.ts'
import { openTopicSession, type TopicSession } from './topic-session.ts'

type State = {
  world: World & { sockets: Sockets }
  service: NetworkService
  topics: Map<string, SharedTopic>
  /** How many of them each team has begun. */
  teams: Map<string, number>
  reads: Semaphore
  socket: UpstreamSubscription<TopicSession> | null
  session: TopicSession | null
  cancelIdle(): void
}

/** Different subscriptions on one network; as many clients as like share each. */
const TOPICS_MAX = 10_000

/** Reads at once of what was missed. */
const READS_MAX = 8

/** From dialling to the answer to the first call. */
const HANDSHAKE_MS_MAX = 5_000

/** The largest account has 10 MiB of data, a third more in base64, and more where it is parsed. */
const MESSAGE_CHARS_MAX = 32 * 1024 * 1024

const IDLE_MS = 30_000

/**
 * Feeds the subscriptions of a Solana network from one socket: equal ones are subscribed to
 * once, and all of them anew at another node when one is lost.
 */
export function openSolanaSubscriptions(
  world: World & { sockets: Sockets },
  service: NetworkService,
): SubscriptionSource & { stop(reason: string): void } {
  const state: State = {
    world,
    service,
    topics: new Map(),
    teams: new Map(),
    reads: openSemaphore(READS_MAX, Number.POSITIVE_INFINITY),
    socket: null,
    session: null,
    cancelIdle: () => {},
  }
  return {
    subscribe({ method, paramsText, team }, subscriber) {
      const topic = readTopic(method, paramsText)
      if (topic === null) return new Rejection('method_not_served', `${method} is not served here.`)
      if (isSolanaError(topic)) return new Rejection('invalid_params', topic.message)
      const known = state.topics.get(keyOf(topic))
      if (known) return known.join(subscriber)
      const refusal = refusalOf(state, team)
      if (refusal !== null) return refusal
      const shared = openTopic(state, topic, team)
      connect(state)
      const opened = shared.join(subscriber)
      ask(state, shared)
      return opened
    },
    stop(reason) {
      for (const topic of [...state.topics.values()]) topic.lose(reason)
      disconnect(state)
    },
  }
}

function openTopic(state: State, topic: SolanaTopic, team: string): SharedTopic {
  const { world, service, reads, topics } = state
  const key = keyOf(topic)
  const ended = () => {
    topics.delete(key)
    count(state, team, -1)
    state.session?.release(shared)
    if (topics.size > 0) return
    state.cancelIdle()
    state.cancelIdle = world.clock.after(IDLE_MS, () => disconnect(state))
  }
  const shared: SharedTopic = openSharedTopic({ clock: world.clock, service, reads }, topic, ended)
  topics.set(key, shared)
  count(state, team, 1)
  return shared
}

function count({ teams }: State, team: string, change: 1 | -1): void {
  const own = (teams.get(team) ?? 0) + change
  if (own === 0) teams.delete(team)
  else teams.set(team, own)
}

function connect(state: State): void {
  const { world, service } = state
  state.cancelIdle()
  state.socket ??= openUpstreamSubscription(world, {
    network: service.network.id,
    logEvent: 'solana_subscription_socket',
    handshakeMsMax: HANDSHAKE_MS_MAX,
    messageCharsMax: MESSAGE_CHARS_MAX,
    nextUpstream: (previous) => nextUpstream(service.pool.selection, previous),
    openSession: (connection) => openSession(state, connection),
  })
}

function disconnect(state: State): void {
  state.cancelIdle()
  state.socket?.stop()
  state.socket = null
  state.session = null
}

function openSession(state: State, connection: SubscriptionConnection): TopicSession {
  const { world, service, topics } = state
  const session = openTopicSession(world.clock, service, connection, {
    opened() {
      state.session = session
      for (const topic of [...topics.values()]) ask(state, topic)
    },
    slot(resultText) {
      return topics.get(keyOf({ kind: 'slot', paramsText: '[]' }))?.heard(resultText) ?? true
    },
    ended() {
      // One that was closed for want of use may end after its successor was opened.
      if (state.session !== session) return
      state.session = null
      for (const topic of [...topics.values()]) topic.interrupted()
    },
  })
  return session
}

function ask({ session }: State, topic: SharedTopic): void {
  if (session === null) return
  // Every connection has subscribed to slots already.
  if (topic.kind === 'slot') topic.granted()
  else session.ask(topic)
}

function keyOf({ kind, paramsText }: { kind: string; paramsText: string }): string {
  return kind + paramsText
}

function refusalOf({ service, topics, teams }: State, team: string): Rejection | null {
  const { network, pool } = service
  if (!pool.selection.upstreams.some(({ spec }) => spec.ws !== undefined)) {
    const words = `${network.id} has no upstream with a ws address, so it has no subscriptions.`
    return new Rejection('upstream_failed', words)
  }
  // A team may have as many as it leaves free, so that others find room.
  if ((teams.get(team) ?? 0) < TOPICS_MAX - topics.size) return null
  const words = `Too many different subscriptions are open on ${network.id}.`
  return new Rejection('overloaded', words)
}
