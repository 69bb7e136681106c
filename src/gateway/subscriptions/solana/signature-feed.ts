import { rawElements, rawMembers } from '../../../core/json/json-scan.ts'
import type { Subscriber } from '../../../core/rpc/subscription-source.ts'
import type { SignatureTopic } from '../../../core/solana/subscriptions/read-topic.ts'
import {
  readSlotValue,
  safeInteger,
} from '../../../core/solana/subscriptions/subscription-message.ts'
import { type Feed, type FeedSource, inSlot, isPlausible } from './feed.ts'
import { readAnew } from './read-anew.ts'

type State = FeedSource & {
  out: Subscriber
  topic: SignatureTopic
  wasReceived: boolean
  isDone: boolean
  /** Counts what makes a read under way useless. */
  epoch: number
}

type Status = { slot: number; errText: string; level: number }

const RECEIVED = '"receivedSignature"'

/** How sure a node is, from least to most. */
const LEVELS = ['processed', 'confirmed', 'finalized']

/** One transaction, told once when it is as sure as wanted, and before when it was received. */
export function openSignatureFeed(
  source: FeedSource,
  out: Subscriber,
  topic: SignatureTopic,
): Feed {
  const state: State = { ...source, out, topic, wasReceived: false, isDone: false, epoch: 0 }
  return {
    heard: (resultText) => hear(state, resultText),
    interrupted() {
      state.epoch++
    },
    resumed(slotMin) {
      const { epoch } = state
      void readAnew(state, {
        method: 'getSignatureStatuses',
        paramsText: () => `[["${topic.signature}"],{"searchTransactionHistory":true}]`,
        isWanted: () => !state.isDone && state.epoch === epoch,
        take: (text) => takeStatus(state, text, slotMin),
      })
    },
  }
}

function hear(state: State, resultText: string): boolean {
  const said = readSlotValue(resultText)
  if (said === null || !isPlausible(state.service, said.slot)) return false
  if (said.valueText === RECEIVED) receive(state, said.slot)
  else if (said.valueText.startsWith('{')) finish(state, resultText)
  else return false
  return true
}

function takeStatus(state: State, text: string, slotMin: number): boolean {
  const read = readStatus(text)
  if (read === null) return false
  const { slot, status } = read
  if (status !== null) receive(state, status.slot)
  if (status !== null && status.level >= LEVELS.indexOf(state.topic.commitment)) {
    finish(state, inSlot(status.slot, `{"err":${status.errText}}`))
    return true
  }
  // Whatever comes later than this moment, the node that was subscribed to tells.
  return slot >= slotMin
}

function receive(state: State, slot: number): void {
  if (!state.topic.tellsReceived || state.wasReceived) return
  state.wasReceived = true
  state.out.notify(inSlot(slot, RECEIVED))
}

function finish(state: State, resultText: string): void {
  state.isDone = true
  state.out.notify(resultText)
  state.out.done()
}

function readStatus(text: string): { slot: number; status: Status | null } | null {
  const said = readSlotValue(text)
  if (!said?.valueText.startsWith('[')) return null
  const [first] = rawElements(said.valueText)
  if (first === 'null') return { slot: said.slot, status: null }
  if (!first?.startsWith('{')) return null
  const members = rawMembers(first)
  const slot = safeInteger(members.get('slot'))
  const errText = members.get('err') ?? 'null'
  const level = LEVELS.findIndex((name) => members.get('confirmationStatus') === `"${name}"`)
  return slot === null || level < 0 ? null : { slot: said.slot, status: { slot, errText, level } }
}
