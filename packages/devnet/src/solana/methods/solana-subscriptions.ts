import type { Account, Commitment, SolanaError } from '../../../../../src/core/solana/account.ts'
import { parseAccount } from '../../../../../src/core/solana/parsers/parse-account.ts'
import { isTokenProgram, sameKey } from '../../../../../src/core/solana/programs.ts'
import { readUnsigned } from '../../../../../src/core/solana/reply/node-values.ts'
import { matchesFilters } from '../../../../../src/core/solana/request/matches-filters.ts'
import type { ProgramAccountsCall } from '../../../../../src/core/solana/request/program-accounts.ts'
import { invalidParams, isSolanaError } from '../../../../../src/core/solana/solana-error.ts'
import {
  type AccountTopic,
  type LogsTopic,
  type ProgramTopic,
  readTopic,
  type SignatureTopic,
  type SolanaTopic,
} from '../../../../../src/core/solana/subscriptions/read-topic.ts'
import { goneAccountText } from '../../../../../src/core/solana/text/gone-account-text.ts'
import type { SolanaChain } from '../solana-chain.ts'
import { type AccountForm, accountText, helpsAt, recordsText } from './solana-account-text.ts'
import type { Params } from './solana-method.ts'

export type Listener = { send(text: string): unknown }

/** One subscription: gives its notifications after each slot, as results in JSON text. */
type Topic = {
  news(): readonly string[]
  /** It has nothing more to say. */
  isOver?: () => boolean
}

type Subscription = Topic & {
  /** `slotNotification` and its like. */
  notification: string
  listener: Listener
}

/** Far above what clients on one machine open. */
const SUBSCRIPTIONS_MAX = 1_000

/** All subscriptions. They are notified after a slot has ended, so never before the answer. */
export function openSubscriptions(chain: SolanaChain) {
  const subscriptions = new Map<number, Subscription>()
  let made = 0

  chain.onSlot(() => {
    for (const [id, { listener, notification, news, isOver }] of subscriptions) {
      for (const result of news()) listener.send(notificationText(notification, id, result))
      if (isOver?.() === true) subscriptions.delete(id)
    }
  })

  return {
    isOne: (method: string) =>
      readTopic(method.replace(/Unsubscribe$/, 'Subscribe'), '[]') !== null,

    /** Answers a method that subscribes or unsubscribes. */
    answer(listener: Listener, method: string, params: Params): string | SolanaError {
      const topic = readTopic(method, `[${params.join()}]`)
      if (topic === null) return unsubscribe(listener, params)
      if (subscriptions.size >= SUBSCRIPTIONS_MAX) {
        return invalidParams('Too many subscriptions for this node')
      }
      if (isSolanaError(topic)) return topic
      made++
      const notification = `${topic.kind}Notification`
      subscriptions.set(made, { ...openTopic(chain, topic), notification, listener })
      return `${made}`
    },

    /** Forgets everything that a listener who left wanted to hear. */
    release(listener: Listener): void {
      for (const [id, one] of subscriptions) if (one.listener === listener) subscriptions.delete(id)
    },
  }

  function unsubscribe(listener: Listener, [idText = 'null']: Params): string | SolanaError {
    const id = readUnsigned(idText, 'u64')
    if (isSolanaError(id)) return id
    const found = subscriptions.get(Number(id))
    if (found?.listener !== listener) return invalidParams('Invalid subscription id.')
    subscriptions.delete(Number(id))
    return 'true'
  }
}

function notificationText(notification: string, id: number, result: string): string {
  const params = `{"result":${result},"subscription":${id}}`
  return `{"jsonrpc":"2.0","method":"${notification}","params":${params}}`
}

function openTopic(chain: SolanaChain, topic: SolanaTopic): Topic {
  const { slots } = chain
  if (topic.kind === 'account') return { news: () => accountNews(chain, topic) }
  if (topic.kind === 'program') return { news: () => recordNews(chain, topic) }
  if (topic.kind === 'logs') return { news: () => logsNews(chain, topic) }
  if (topic.kind === 'signature') return openSignatureTopic(chain, topic)
  const root = () => slots.slotAt('finalized')
  if (topic.kind === 'root') return { news: () => [`${root()}`] }
  return { news: () => [`{"parent":${slots.now - 1},"root":${root()},"slot":${slots.now}}`] }
}

function openSignatureTopic(chain: SolanaChain, topic: SignatureTopic): Topic {
  let tellsReceived = topic.tellsReceived
  let isOver = false
  return {
    isOver: () => isOver,
    news() {
      const receipt = chain.transactions.find(topic.signature)
      if (receipt === null) return []
      const received = tellsReceived ? [inSlot(receipt.slot, '"receivedSignature"')] : []
      tellsReceived = false
      isOver = receipt.slot <= endedSlot(chain, topic.commitment)
      if (!isOver) return received
      return [...received, inSlot(receipt.slot, `{"err":${errorText(receipt)}}`)]
    },
  }
}

function accountNews(chain: SolanaChain, topic: AccountTopic): string[] {
  const slot = endedSlot(chain, topic.commitment)
  const changed = chain.history.changedIn(slot).find(({ pubkey }) => sameKey(pubkey, topic.pubkey))
  if (changed === undefined) return []
  const { account } = changed
  const form = formOf(topic.encoding)
  // A node shows an account that is gone as an empty one.
  const text =
    account === null ? goneAccountText(topic.encoding) : accountText(chain, slot, account, form)
  return isSolanaError(text) ? [] : [inSlot(slot, text)]
}

function recordNews(chain: SolanaChain, { call }: ProgramTopic): string[] {
  const slot = endedSlot(chain, call.commitment)
  const form = formOf(call.encoding)
  const accounts = programNews(chain, slot, call)
  const texts = accounts.map((account) => recordsText(chain, slot, [account], form))
  return texts.filter((text) => !isSolanaError(text)).map((text) => inSlot(slot, `${text}`))
}

/** A node takes a slice, and leaves it aside when it notifies. */
function formOf(encoding: AccountForm['encoding']): AccountForm {
  return { encoding, dataSlice: null }
}

function logsNews(chain: SolanaChain, { mentions, commitment }: LogsTopic): string[] {
  const slot = endedSlot(chain, commitment)
  const receipts = chain.transactions
    .inSlot(slot)
    .filter(({ loaded }) => mentions === null || loaded.keys.some((key) => sameKey(key, mentions)))
  return receipts.map((receipt) => {
    const { signature, outcome } = receipt
    const logs = JSON.stringify(outcome.logs)
    const members = [`"err":${errorText(receipt)}`, `"logs":${logs}`, `"signature":"${signature}"`]
    return inSlot(slot, `{${members.join()}}`)
  })
}

function errorText({ outcome }: { outcome: { error: { json: string } | null } }): string {
  return outcome.error?.json ?? 'null'
}

/** As on a node, an account that was closed or given to another program is not spoken of. */
function programNews(chain: SolanaChain, slot: number, call: ProgramAccountsCall): Account[] {
  const helps = helpsAt(chain, slot)
  const mustParse = call.encoding === 'jsonParsed' && isTokenProgram(call.program)
  return chain.history.changedIn(slot).flatMap(({ account }) => {
    if (account === null || !sameKey(account.owner, call.program)) return []
    if (!matchesFilters(call.filters, account.data)) return []
    return mustParse && parseAccount(account, helps) === null ? [] : [account]
  })
}

/** The newest slot of a commitment that can no longer change: `processed` is still being filled. */
function endedSlot({ slots }: SolanaChain, commitment: Commitment): number {
  return slots.slotAt(commitment === 'processed' ? 'confirmed' : commitment)
}

function inSlot(slot: number, valueText: string): string {
  return `{"context":{"slot":${slot}},"value":${valueText}}`
}
