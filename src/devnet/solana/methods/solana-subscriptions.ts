import type { Account, Commitment, SolanaError } from '../../../core/solana/account.ts'
import { parseAccount } from '../../../core/solana/parsers/parse-account.ts'
import { isTokenProgram, PROGRAM_KEYS, sameKey } from '../../../core/solana/programs.ts'
import { readUnsigned } from '../../../core/solana/reply/node-values.ts'
import { matchesFilters } from '../../../core/solana/request/matches-filters.ts'
import {
  type ProgramAccountsCall,
  readProgramAccountsCall,
} from '../../../core/solana/request/program-accounts.ts'
import { invalidParams, isSolanaError } from '../../../core/solana/solana-error.ts'
import type { SolanaChain } from '../solana-chain.ts'
import {
  type AccountForm,
  accountText,
  formOf,
  helpsAt,
  recordsText,
} from './solana-account-text.ts'
import { momentOf, type Params, readKeyParam } from './solana-method.ts'
import { readSignature } from './solana-transaction-methods.ts'

export type Listener = { send(text: string): unknown }

/** One subscription: gives its notifications after each slot, as results in JSON text. */
type Topic = {
  /** `slotNotification` and its like. */
  notification: string
  news(): readonly string[]
  /** It has nothing more to say after its first news. */
  once?: boolean
}

type Subscription = Topic & { listener: Listener }

/** Far above what clients on one machine open. */
const SUBSCRIPTIONS_MAX = 1_000

const NODE_RULES = { defaultEncoding: 'binary', pageLimit: Number.MAX_SAFE_INTEGER } as const

type Open = (chain: SolanaChain, params: Params) => Topic | SolanaError

/** By the names that callers send, so no object: `toString` is in every one of those. */
const TOPICS: ReadonlyMap<string, Open> = new Map([
  ['slotSubscribe', openSlotTopic],
  ['rootSubscribe', openRootTopic],
  ['signatureSubscribe', openSignatureTopic],
  ['accountSubscribe', openAccountTopic],
  ['programSubscribe', openProgramTopic],
])

/** All subscriptions. They are notified after a slot has ended, so never before the answer. */
export function openSubscriptions(chain: SolanaChain) {
  const subscriptions = new Map<number, Subscription>()
  let made = 0

  chain.onSlot(() => {
    for (const [id, { listener, notification, news, once }] of subscriptions) {
      const results = news()
      for (const result of results) listener.send(notificationText(notification, id, result))
      if (once === true && results.length > 0) subscriptions.delete(id)
    }
  })

  return {
    isOne: (method: string) => TOPICS.has(method.replace(/Unsubscribe$/, 'Subscribe')),

    /** Answers a method that subscribes or unsubscribes. */
    answer(listener: Listener, method: string, params: Params): string | SolanaError {
      const open = TOPICS.get(method)
      if (open === undefined) return unsubscribe(listener, params)
      if (subscriptions.size >= SUBSCRIPTIONS_MAX) {
        return invalidParams('Too many subscriptions for this node')
      }
      const topic = open(chain, params)
      if (isSolanaError(topic)) return topic
      made++
      subscriptions.set(made, { ...topic, listener })
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

function openSlotTopic({ slots }: SolanaChain): Topic {
  return {
    notification: 'slotNotification',
    news: () => [
      `{"parent":${slots.now - 1},"root":${slots.slotAt('finalized')},"slot":${slots.now}}`,
    ],
  }
}

function openRootTopic({ slots }: SolanaChain): Topic {
  return { notification: 'rootNotification', news: () => [`${slots.slotAt('finalized')}`] }
}

function openSignatureTopic(chain: SolanaChain, [text, configText]: Params): Topic | SolanaError {
  const signature = readSignature(text)
  if (isSolanaError(signature)) return signature
  const moment = momentOf(chain, configText)
  if (isSolanaError(moment)) return moment
  const { commitment } = moment.config
  return {
    notification: 'signatureNotification',
    once: true,
    news() {
      const receipt = chain.transactions.find(signature)
      if (receipt === null || receipt.slot > endedSlot(chain, commitment)) return []
      return [inSlot(receipt.slot, `{"err":${receipt.outcome.error?.json ?? 'null'}}`)]
    },
  }
}

function openAccountTopic(chain: SolanaChain, [keyText, configText]: Params): Topic | SolanaError {
  const key = readKeyParam(keyText)
  if (isSolanaError(key)) return key
  const moment = momentOf(chain, configText)
  if (isSolanaError(moment)) return moment
  const { commitment } = moment.config
  const form = formOf(moment.config, 'binary')
  return {
    notification: 'accountNotification',
    news() {
      const slot = endedSlot(chain, commitment)
      const changed = chain.history.changedIn(slot).find(({ pubkey }) => sameKey(pubkey, key))
      if (changed === undefined) return []
      // A node shows an account that is gone as an empty one.
      const text = accountText(chain, slot, changed.account ?? nothingAt(key), form)
      return isSolanaError(text) ? [] : [inSlot(slot, text)]
    },
  }
}

function openProgramTopic(chain: SolanaChain, params: Params): Topic | SolanaError {
  const call = readProgramAccountsCall(`[${params.join()}]`, NODE_RULES)
  if (isSolanaError(call)) return call
  // A node leaves the slice aside when it notifies.
  const form: AccountForm = { encoding: call.encoding, dataSlice: null }
  return {
    notification: 'programNotification',
    news() {
      const slot = endedSlot(chain, call.commitment)
      const accounts = programNews(chain, slot, call)
      const texts = accounts.map((account) => recordsText(chain, slot, [account], form))
      return texts.filter((text) => !isSolanaError(text)).map((text) => inSlot(slot, `${text}`))
    },
  }
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

function nothingAt(pubkey: Uint8Array): Account {
  const owner = PROGRAM_KEYS.system
  return { pubkey, owner, lamports: 0n, rentEpoch: 0n, executable: false, data: new Uint8Array() }
}
