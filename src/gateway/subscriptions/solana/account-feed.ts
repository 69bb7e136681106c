import { hashKey } from '../../../core/access/hash-key.ts'
import { canonicalText } from '../../../core/json/canonical-text.ts'
import { rawMembers } from '../../../core/json/json-scan.ts'
import type { Subscriber } from '../../../core/rpc/subscription-source.ts'
import type { AccountTopic } from '../../../core/solana/subscriptions/read-topic.ts'
import { readSlotValue } from '../../../core/solana/subscriptions/subscription-message.ts'
import { goneAccountText } from '../../../core/solana/text/encodings.ts'
import { believable, type Feed, type FeedSource, inSlot, isPlausible } from './feed.ts'
import { readAnew } from './read-anew.ts'

type State = FeedSource & {
  out: Subscriber
  topic: AccountTopic
  /** The slot up to which the account is known, and how it was then. */
  asOf: number
  shown: string | null
  /** The node that is connected now has told of it. */
  isFromHere: boolean
  isWhole: boolean
  /** Counts what makes a read under way useless. */
  epoch: number
}

/** An account without lamports does not exist, whatever else is said of it. */
const GONE = 'gone'

/**
 * The changes of one account. Each notification is the whole account, so after a loss one read
 * of it makes up for all that was missed. Slots never go back.
 */
export function openAccountFeed(source: FeedSource, out: Subscriber, topic: AccountTopic): Feed {
  const state: State = {
    ...source,
    out,
    topic,
    asOf: -1,
    shown: null,
    isFromHere: false,
    isWhole: true,
    epoch: 0,
  }
  return {
    heard: (resultText) => hear(state, resultText),
    interrupted() {
      state.isWhole = false
      state.isFromHere = false
      state.epoch++
      state.asOf = believable(state.service, state.asOf)
    },
    resumed(slot) {
      if (!state.isWhole) readAgain(state, slot)
    },
  }
}

function hear(state: State, resultText: string): boolean {
  const said = readSlotValue(resultText)
  if (!said?.valueText.startsWith('{') || !isPlausible(state.service, said.slot)) return false
  const { slot } = said
  if (slot < state.asOf) {
    // The account was another on a fork that is given up. From a new node it is old news.
    const isReverted = state.topic.commitment === 'processed' && state.isFromHere
    if (isReverted && state.isWhole) readAgain(state, state.asOf)
    return true
  }
  const digest = digestOf(said.valueText)
  if (slot === state.asOf && digest === state.shown) return true
  if (slot > state.asOf) {
    state.isWhole = true
    state.isFromHere = true
  }
  show(state, slot, digest, resultText)
  return true
}

function show(state: State, slot: number, digest: string, resultText: string): void {
  state.asOf = slot
  state.shown = digest
  state.out.notify(resultText)
}

function readAgain(state: State, slotMin: number): void {
  state.isWhole = false
  state.epoch++
  const { epoch, topic } = state
  const least = () => Math.max(0, slotMin, state.asOf)
  void readAnew(state, {
    method: 'getAccountInfo',
    paramsText: () => `${topic.paramsText.slice(0, -2)},"minContextSlot":${least()}}]`,
    isWanted: () => !state.isWhole && state.epoch === epoch,
    take: (text) => takeRead(state, text, least()),
  })
}

function takeRead(state: State, text: string, slotMin: number): boolean {
  const read = readSlotValue(text)
  if (read === null || read.slot < slotMin || !isPlausible(state.service, read.slot)) return false
  const isGone = read.valueText === 'null'
  const valueText = isGone ? goneAccountText(state.topic.encoding) : read.valueText
  const digest = digestOf(valueText)
  if (digest !== state.shown) show(state, read.slot, digest, inSlot(read.slot, valueText))
  state.asOf = read.slot
  state.isWhole = true
  return true
}

/** Equal for equal accounts, in whatever order a node names their members. */
export function digestOf(accountText: string): string {
  const lamports = accountText.startsWith('{') ? rawMembers(accountText).get('lamports') : null
  return lamports === '0' ? GONE : hashKey(canonicalText(accountText))
}
