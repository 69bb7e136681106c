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
  /** At once where a node has granted it, else when one does. */
  join(subscriber: Subscriber): OpenSubscription | Promise<OpenSubscription | Rejection>
  interrupted(): void
  lose(reason: string): void
}

type Waiting = { subscriber: Subscriber; resolve(opened: OpenSubscription | Rejection): void }

type State = {
  clock: Clock
  /** Called when nobody hears it any more, or nobody can. */
  ended(): void
  subscribers: Set<Subscriber>
  waiting: Set<Waiting>
  isGranted: boolean
  /** It was granted before, and what was told meanwhile is missing. */
  isInterrupted: boolean
  isOver: boolean
}

/** Longer than it takes to leave a node that does not answer and ask another. */
const GRANT_MS_MAX = 20_000

const NO_SUCH_METHOD = -32601

const INVALID_PARAMS = -32602

const REFUSED_ANEW = 'The next node refused the subscription. Connect anew.'

export function openSharedTopic(
  source: FeedSource,
  topic: SolanaTopic,
  ended: () => void,
): SharedTopic {
  const { clock } = source
  const { kind, paramsText } = topic
  const state: State = {
    clock,
    ended,
    subscribers: new Set(),
    waiting: new Set(),
    isGranted: false,
    isInterrupted: false,
    isOver: false,
  }
  const feed = openFeed(source, outOf(state), topic)

  return {
    kind,
    paramsText,
    join: (subscriber) => (state.isGranted ? enter(state, subscriber) : wait(state, subscriber)),
    granted() {
      state.isGranted = true
      answerWaiting(state, ({ subscriber }) => enter(state, subscriber))
    },
    refused: (error) => fail(state, rejectionOf(kind, error), REFUSED_ANEW),
    heard: (resultText) => state.isOver || feed.heard(resultText),
    resumed(slot) {
      if (!state.isInterrupted || state.isOver) return
      state.isInterrupted = false
      feed.resumed(slot)
    },
    interrupted() {
      if (!state.isGranted) return
      state.isGranted = false
      state.isInterrupted = true
      feed.interrupted()
    },
    lose: (reason) => fail(state, new Rejection('upstream_failed', reason), reason),
  }
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
    resumed() {},
  }
}

/** Tells all subscribers; the last word ends the subject for those who come later. */
function outOf(state: State): Subscriber {
  return {
    notify(resultText) {
      for (const one of [...state.subscribers]) one.notify(resultText)
    },
    done() {
      for (const one of dismiss(state)) one.done()
    },
    lost(reason) {
      for (const one of dismiss(state)) one.lost(reason)
    },
  }
}

function enter(state: State, subscriber: Subscriber): OpenSubscription {
  state.subscribers.add(subscriber)
  return {
    close() {
      if (state.subscribers.delete(subscriber)) endIfUnused(state)
    },
  }
}

/** Ends the subject; returns those who are still to be told why. */
function dismiss(state: State): Subscriber[] {
  end(state)
  const left = [...state.subscribers]
  state.subscribers.clear()
  return left
}

function end(state: State): void {
  if (state.isOver) return
  state.isOver = true
  state.ended()
}

function endIfUnused(state: State): void {
  if (state.subscribers.size === 0 && state.waiting.size === 0) end(state)
}

function fail(state: State, rejection: Rejection, reason: string): void {
  const left = dismiss(state)
  answerWaiting(state, () => rejection)
  for (const one of left) one.lost(reason)
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

function rejectionOf(kind: SolanaTopic['kind'], refusal: TopicRefusal): Rejection {
  if (refusal === 'no_answer') {
    return new Rejection('upstream_timeout', 'The node did not answer the subscription.')
  }
  if (refusal.code === INVALID_PARAMS) return new Rejection('invalid_params', refusal.message)
  if (refusal.code === NO_SUCH_METHOD) {
    return new Rejection('method_not_served', `The node does not serve ${kind}Subscribe.`)
  }
  return new Rejection('upstream_failed', 'The node refused the subscription.')
}
