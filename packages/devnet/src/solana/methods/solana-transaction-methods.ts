import { encodeBase58 } from '../solana-account.ts'
import type { SolanaChain } from '../solana-chain.ts'
import type { Receipt } from '../solana-transactions.ts'
import {
  configOf,
  inContext,
  invalidParams,
  type MethodTable,
  type Params,
  readBase58,
  readChoice,
  readKey,
  readList,
  readWhole,
  SolanaRefusal,
  votedMoment,
} from './solana-method.ts'
import { sendTransaction, simulateTransaction } from './solana-sending.ts'
import { shownTransaction } from './solana-transaction-form.ts'

const SIGNATURE_BYTES = 64
const SIGNATURE_CHARS_MAX = 88
/** As many as a node looks up in one call. */
const SIGNATURES_MAX = 256

/** As many as a node lists in one answer. */
const LISTED_MAX = 1_000n

/** A program cannot stand in a lookup table, so its key is always in the message. */
const MEMO_PROGRAMS = new Set([
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
])

const FORMS = ['base58', 'base64', 'json', 'jsonParsed'] as const

export const TRANSACTION_METHODS: MethodTable = {
  sendTransaction: { min: 1, max: 2, answer: sendTransaction },
  simulateTransaction: { min: 1, max: 2, answer: simulateTransaction },
  getSignatureStatuses: { min: 1, max: 2, answer: getSignatureStatuses },
  getSignaturesForAddress: { min: 1, max: 2, answer: getSignaturesForAddress },
  getTransaction: { min: 1, max: 2, answer: getTransaction },
  requestAirdrop: { min: 2, max: 3, answer: requestAirdrop },
}

export function readSignature(value: unknown): string {
  return readBase58(value, SIGNATURE_CHARS_MAX, SIGNATURE_BYTES)
}

/** A slot is final as soon as it has ended. */
function confirmationOf({ slots }: SolanaChain, slot: number): 'processed' | 'finalized' {
  return slot < slots.now ? 'finalized' : 'processed'
}

function getSignatureStatuses(chain: SolanaChain, [list]: Params) {
  const signatures = readList(list, SIGNATURES_MAX).map(readSignature)
  const statuses = signatures.map((signature) => {
    const receipt = chain.transactions.find(signature)
    if (receipt === null) return null
    const confirmationStatus = confirmationOf(chain, receipt.slot)
    const err = receipt.outcome.error?.json ?? null
    return {
      confirmationStatus,
      confirmations: confirmationStatus === 'finalized' ? null : 0,
      err,
      slot: receipt.slot,
      status: err === null ? { Ok: null } : { Err: err },
    }
  })
  return inContext(chain.slots.now, statuses)
}

function getSignaturesForAddress(chain: SolanaChain, [given, configGiven]: Params) {
  const key = readKey(given)
  const config = configOf(configGiven)
  const limit = readWhole(config.limit ?? Number(LISTED_MAX))
  if (limit === 0n || limit > LISTED_MAX) throw invalidParams(`Invalid limit; max ${LISTED_MAX}`)
  const moment = votedMoment(chain, config)

  const all = chain.transactions.newestFirst()
  const from = config.before === undefined ? 0 : indexOf(all, config.before) + 1
  const to = config.until === undefined ? all.length : indexOf(all, config.until)
  return all
    .slice(from, to)
    .filter(({ slot, loaded }) => slot <= moment.slot && loaded.keys.includes(key))
    .slice(0, Number(limit))
    .map((receipt) => ({
      blockTime: receipt.unixSeconds,
      confirmationStatus: confirmationOf(chain, receipt.slot),
      err: receipt.outcome.error?.json ?? null,
      memo: memoOf(receipt),
      signature: receipt.signature,
      slot: receipt.slot,
    }))
}

/** The place of a transaction; behind all of them where it is not kept. */
function indexOf(receipts: readonly Receipt[], given: unknown): number {
  const signature = readSignature(given)
  const at = receipts.findIndex((receipt) => receipt.signature === signature)
  return at === -1 ? receipts.length : at
}

/** All memos of a transaction, each after its length, as a node lists them. */
function memoOf({ transaction }: Receipt): string | null {
  const memos = transaction.instructions
    .filter(({ programAt }) => MEMO_PROGRAMS.has(encodeBase58(transaction.keys[programAt]!)))
    .map(({ data }) => `[${data.length}] ${Buffer.from(data).toString()}`)
  return memos.length === 0 ? null : memos.join('; ')
}

/** The second param is a config, or the form alone as in older days. */
function getTransaction(chain: SolanaChain, [given, second]: Params) {
  const signature = readSignature(given)
  const config = typeof second === 'string' ? { encoding: second } : configOf(second)
  const form = readChoice(config.encoding ?? 'json', FORMS)
  const withVersion = (config.maxSupportedTransactionVersion ?? null) !== null
  const moment = votedMoment(chain, config)

  const receipt = chain.transactions.find(signature)
  if (receipt === null || receipt.slot > moment.slot) return null
  if (receipt.transaction.version === 0 && !withVersion) throw unsupportedVersion()
  return shownTransaction(chain, receipt, form, withVersion)
}

function unsupportedVersion(): SolanaRefusal {
  const what = 'Transaction version (0) is not supported by the requesting client.'
  const how = 'Please try the request again with the following configuration parameter:'
  const parameter = '"maxSupportedTransactionVersion": 0'
  return new SolanaRefusal(-32015, `${what} ${how} ${parameter}`)
}

function requestAirdrop(chain: SolanaChain, [key, lamports]: Params): string {
  const receipt = chain.airdrop(readKey(key), readWhole(lamports))
  if (typeof receipt !== 'string') return receipt.signature
  throw new SolanaRefusal(-32603, `Internal error: the airdrop failed: ${receipt}`)
}
