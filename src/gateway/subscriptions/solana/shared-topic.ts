import { Rejection } from '../../../core/errors.ts'
import type { OpenSubscription, Subscriber } from '../../../core/rpc/subscription-source.ts'
import type { SolanaTopic } from '../../../core/solana/subscriptions/read-topic.ts'
import { readSlotValue } from '../../../core/solana/subscriptions/subscription-message.ts'
import type { Clock } from '../../../ports/clock.ts'
import { openAccountFeed } from './account-feed.ts'
import { type Feed, type FeedSource, isPlausible, LOST_WHILE_RECONNECTING } from './feed.ts'
import { openProgramFeed } from './program-feed.ts'
import { openSignatureFeed } from './signature-feed.ts'
import { openRootFeed, openSlotFeed } from './slot-feed.ts'
import type { AskedTopic, TopicRefusal } from './topic-session.ts'

/** One subject with all who asked for it in the same words. */
export type SharedTopic = AskedTopic & {
  kind: SolanaTopic['kind']
  /** At once where a node has granted it, else when one does. */
  join(subscriber: Subscriber): OpenSubscription | Promise<OpenSubscription | Rejection>
  interrupted(): void
  lose(reason: string): void
}

type Waiting = { subscriber: Subscriber; resolve(opened: OpenSubscription | Rejection): void }

type State = {
  clock: Clock
  /** Called when nobody hears it any more, or nobody can. */
  ended(topic: SharedTopic): void
  shared: () => SharedTopic
  subscribers: SubscriberList
  waiting: Set<Waiting>
  isGranted: boolean
  /** It was granted before, and what was told meanwhile is missing. */
  isInterrupted: boolean
  isOver: boolean
}

type Member = {
  subscriber: Subscriber
  /** Calls that wait until its subscribing has returned; null from then on. */
  held: ((subscriber: Subscriber) => void)[] | null
  isClosed: boolean
}

type SubscriberList = Subscriber & {
  readonly size: number
  add(subscriber: Subscriber): OpenSubscription
}

/** Longer than it takes to leave a node that does not answer and ask another. */
const GRANT_MS_MAX = 20_000

const NO_SUCH_METHOD = -32601

const INVALID_PARAMS = -32602

const REFUSED_ANEW = 'The next node refused the subscription. Connect anew.'

export function openSharedTopic(
  source: FeedSource,
  topic: SolanaTopic,
  ended: (topic: SharedTopic) => void,
): SharedTopic {
  const { clock } = source
  const { kind, paramsText } = topic
  const subscribers = openSubscriberList(clock, () => endIfUnused(state))
  const state: State = {
    clock,
    ended,
    shared: () => shared,
    subscribers,
    waiting: new Set(),
    isGranted: false,
    isInterrupted: false,
    isOver: false,
  }
  const feed = openFeed(source, outOf(state), topic)

  const shared: SharedTopic = {
    kind,
    subscribeMethod: `${kind}Subscribe`,
    unsubscribeMethod: `${kind}Unsubscribe`,
    notificationMethod: `${kind}Notification`,
    paramsText,
    join: (subscriber) => (state.isGranted ? subscribers.add(subscriber) : wait(state, subscriber)),
    granted() {
      state.isGranted = true
      answerWaiting(state, ({ subscriber }) => subscribers.add(subscriber))
    },
    refused: (error) => fail(state, rejectionOf(shared, error), REFUSED_ANEW),
    heard: (resultText) => state.isOver || feed.heard(resultText),
    resumed(slot) {
      if (!state.isInterrupted || state.isOver) return
      state.isInterrupted = false
      void feed.resumed(slot)
    },
    interrupted() {
      if (!state.isGranted) return
      state.isGranted = false
      state.isInterrupted = true
      feed.interrupted()
    },
    lose: (reason) => fail(state, new Rejection('upstream_failed', reason), reason),
  }
  return shared
}

function openFeed(source: FeedSource, out: Subscriber, topic: SolanaTopic): Feed {
  if (topic.kind === 'account') return openAccountFeed(source, out, topic)
  if (topic.kind === 'program') return openProgramFeed(source, out, topic)
  if (topic.kind === 'signature') return openSignatureFeed(source, out, topic)
  if (topic.kind === 'logs') return openLogsFeed(source, out)
  return topic.kind === 'slot' ? openSlotFeed(source, out) : openRootFeed(source, out)
}

/** Logs of transactions. No node can be asked for those of the last moments, so a loss is one. */
function openLogsFeed({ service }: FeedSource, out: Subscriber): Feed {
  return {
    heard(resultText) {
      const said = readSlotValue(resultText)
      if (!said?.valueText.startsWith('{') || !isPlausible(service, said.slot)) return false
      out.notify(resultText)
      return true
    },
    interrupted: () => out.lost(LOST_WHILE_RECONNECTING),
    resumed: () => Promise.resolve(),
  }
}

/** Tells all subscribers; the last word ends the subject for those who come later. */
function outOf(state: State): Subscriber {
  const { subscribers } = state
  return {
    notify: subscribers.notify,
    done() {
      end(state)
      subscribers.done()
    },
    lost(reason) {
      end(state)
      subscribers.lost(reason)
    },
  }
}

function end(state: State): void {
  if (state.isOver) return
  state.isOver = true
  state.ended(state.shared())
}

function endIfUnused(state: State): void {
  if (state.subscribers.size === 0 && state.waiting.size === 0) end(state)
}

function fail(state: State, rejection: Rejection, reason: string): void {
  end(state)
  answerWaiting(state, () => rejection)
  state.subscribers.lost(reason)
}

function wait(state: State, subscriber: Subscriber): Promise<OpenSubscription | Rejection> {
  return new Promise((resolve) => {
    const stopTimer = state.clock.after(GRANT_MS_MAX, () => {
      state.waiting.delete(one)
      resolve(new Rejection('upstream_timeout', 'No node granted the subscription in time.'))
      endIfUnused(state)
    })
    const one: Waiting = {
      subscriber,
      resolve(opened) {
        stopTimer()
        resolve(opened)
      },
    }
    state.waiting.add(one)
  })
}

function answerWaiting(state: State, answer: (one: Waiting) => OpenSubscription | Rejection): void {
  const answered = [...state.waiting]
  state.waiting.clear()
  for (const one of answered) one.resolve(answer(one))
}

function rejectionOf({ subscribeMethod }: AskedTopic, refusal: TopicRefusal): Rejection {
  if (refusal === 'no_answer') {
    return new Rejection('upstream_timeout', 'The node did not answer the subscription.')
  }
  if (refusal.code === INVALID_PARAMS) return new Rejection('invalid_params', refusal.message)
  if (refusal.code === NO_SUCH_METHOD) {
    return new Rejection('method_not_served', `The node does not serve ${subscribeMethod}.`)
  }
  return new Rejection('upstream_failed', 'The node refused the subscription.')
}

/** `emptied` is called when the last one has left by itself. */
function openSubscriberList(clock: Clock, emptied: () => void): SubscriberList {
  const members = new Set<Member>()

  const tell = (member: Member, call: (subscriber: Subscriber) => void) => {
    if (member.held === null) call(member.subscriber)
    else member.held.push(call)
  }
  const tellAll = (call: (subscriber: Subscriber) => void, isLast: boolean) => {
    const told = [...members]
    if (isLast) members.clear()
    for (const member of told) if (!member.isClosed) tell(member, call)
  }

  return {
    get size() {
      return members.size
    },
    add(subscriber) {
      const member: Member = { subscriber, held: [], isClosed: false }
      members.add(member)
      clock.after(0, () => {
        const held = member.held ?? []
        member.held = null
        for (const call of held) if (!member.isClosed) call(subscriber)
      })
      return {
        close() {
          if (member.isClosed) return
          member.isClosed = true
          if (members.delete(member) && members.size === 0) emptied()
        },
      }
    },
    notify: (resultText) => tellAll((one) => one.notify(resultText), false),
    done: () => tellAll((one) => one.done(), true),
    lost: (reason) => tellAll((one) => one.lost(reason), true),
  }
}
