import { type Account, type Commitment, newAccount } from '../solana-account.ts'
import type { SolanaChain } from '../solana-chain.ts'
import { formOf, shownAccount } from './solana-account-form.ts'
import { readFilters } from './solana-account-methods.ts'
import {
  configOf,
  invalidParams,
  momentOf,
  type Params,
  readChoice,
  readFlag,
  readKey,
  readList,
  readWhole,
} from './solana-method.ts'
import { readSignature } from './solana-transaction-methods.ts'

export type Listener = { send(text: string): unknown }

type Topic = {
  news(): readonly unknown[]
  isOver?: () => boolean
}

type Subscription = Topic & { kind: string; listener: Listener }

type OpenTopic = (chain: SolanaChain, params: Params) => Topic

/** Far above what clients on one machine open. */
const SUBSCRIPTIONS_MAX = 1_000

const TOPICS: ReadonlyMap<string, OpenTopic> = new Map<string, OpenTopic>([
  ['account', openAccountTopic],
  ['program', openProgramTopic],
  ['logs', openLogsTopic],
  ['signature', openSignatureTopic],
  ['slot', ({ slots: all }) => ({ news: () => [slotNews(all.now)] })],
  ['root', ({ slots }) => ({ news: () => [slots.slotAt('finalized')] })],
])

const METHOD = /^([a-z]+)(Subscribe|Unsubscribe)$/

/** All subscriptions. They are notified after a slot has ended, so never before the answer. */
export function openSubscriptions(chain: SolanaChain) {
  const subscriptions = new Map<number, Subscription>()
  let made = 0

  chain.onSlot(() => {
    for (const [id, { listener, kind, news, isOver }] of subscriptions) {
      for (const result of news()) {
        const params = { result, subscription: id }
        listener.send(JSON.stringify({ jsonrpc: '2.0', method: `${kind}Notification`, params }))
      }
      if (isOver?.() === true) subscriptions.delete(id)
    }
  })

  const unsubscribe = (listener: Listener, given: unknown) => {
    const id = Number(readWhole(given))
    if (subscriptions.get(id)?.listener !== listener) {
      throw invalidParams('Invalid subscription id.')
    }
    return subscriptions.delete(id)
  }

  return {
    /** Answers a method that subscribes or unsubscribes; undefined for every other. */
    answer(listener: Listener, method: string, params: () => Params): unknown {
      const [, kind = '', verb] = METHOD.exec(method) ?? []
      const open = TOPICS.get(kind)
      if (open === undefined) return undefined
      if (verb === 'Unsubscribe') return unsubscribe(listener, params()[0])
      if (subscriptions.size >= SUBSCRIPTIONS_MAX) {
        throw invalidParams('Too many subscriptions for this node')
      }
      const topic = open(chain, params())
      made++
      subscriptions.set(made, { ...topic, kind, listener })
      return made
    },

    release(listener: Listener): void {
      for (const [id, one] of subscriptions) if (one.listener === listener) subscriptions.delete(id)
    },
  }
}

function slotNews(slot: number) {
  return { parent: slot - 1, root: slot - 1, slot }
}

function openAccountTopic(chain: SolanaChain, [key, given]: Params): Topic {
  const pubkey = readKey(key)
  const form = { ...formOf(configOf(given), 'binary'), dataSlice: null }
  readCommitment(chain, given)
  return {
    news() {
      if (!chain.accounts.changed.includes(pubkey)) return []
      // A node shows an account that is gone as an empty one.
      const gone = { ...newAccount(pubkey, 0n), rentEpoch: 0n }
      const account = chain.accounts.at(pubkey, 'confirmed') ?? gone
      return [inSlot(chain, shownAccount(chain, 'confirmed', account, form))]
    },
  }
}

/** As on a node, an account that was closed or given to another program is not spoken of. */
function openProgramTopic(chain: SolanaChain, [key, given]: Params): Topic {
  const program = readKey(key)
  const config = configOf(given)
  const form = { ...formOf(config, 'binary'), dataSlice: null }
  readCommitment(chain, given)
  const isOfProgram = (account: Account | null) => account?.owner === program
  return {
    news() {
      const isWanted = readFilters(chain, { commitment: 'confirmed' }, program, config)
      return chain.accounts.changed
        .map((pubkey) => chain.accounts.at(pubkey, 'confirmed'))
        .filter((account): account is Account => isOfProgram(account) && isWanted(account!))
        .map((account) => {
          const shown = shownAccount(chain, 'confirmed', account, form)
          return inSlot(chain, { account: shown, pubkey: account.pubkey })
        })
    },
  }
}

function openLogsTopic(chain: SolanaChain, [wanted, given]: Params): Topic {
  readCommitment(chain, given)
  const mentions = readMentions(wanted)
  return {
    news: () =>
      chain.transactions
        .inSlot(chain.slots.slotAt('confirmed'))
        .filter(({ loaded }) => mentions === null || loaded.keys.includes(mentions))
        .map(({ signature, outcome: { error, logs } }) => {
          return inSlot(chain, { err: error?.json ?? null, logs, signature })
        }),
  }
}

function readMentions(wanted: unknown): string | null {
  if (typeof wanted === 'string') {
    readChoice(wanted, ['all', 'allWithVotes'])
    return null
  }
  const { mentions } = configOf(wanted)
  const keys = readList(mentions, Number.POSITIVE_INFINITY)
  if (keys.length !== 1) throw invalidParams('Invalid Request: Only 1 address supported')
  return readKey(keys[0])
}

function openSignatureTopic(chain: SolanaChain, [given, config]: Params): Topic {
  const signature = readSignature(given)
  const commitment = readCommitment(chain, config)
  let tellsReceived = readFlag(configOf(config).enableReceivedNotification)
  let isOver = false
  return {
    isOver: () => isOver,
    news() {
      const receipt = chain.transactions.find(signature)
      if (receipt === null) return []
      const context = { slot: receipt.slot }
      const received = tellsReceived ? [{ context, value: 'receivedSignature' }] : []
      tellsReceived = false
      isOver = receipt.slot <= chain.slots.slotAt(commitment)
      if (!isOver) return received
      return [...received, { context, value: { err: receipt.outcome.error?.json ?? null } }]
    },
  }
}

function readCommitment(chain: SolanaChain, given: unknown): Commitment {
  return momentOf(chain, { commitment: configOf(given).commitment }).commitment
}

/** Whatever the commitment, a slot is told of when it has ended. */
function inSlot({ slots }: SolanaChain, value: unknown) {
  return { context: { slot: slots.slotAt('confirmed') }, value }
}
