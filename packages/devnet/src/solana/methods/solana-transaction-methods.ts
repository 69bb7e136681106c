import { rawElements } from '../../../../../src/core/json/json-scan.ts'
import type { Commitment, SolanaError } from '../../../../../src/core/solana/account.ts'
import { decodeBase58, encodeBase58, encodeKey } from '../../../../../src/core/solana/base58.ts'
import { sameKey } from '../../../../../src/core/solana/programs.ts'
import {
  isSequence,
  readName,
  readString,
  readUnsigned,
  wrongType,
} from '../../../../../src/core/solana/reply/node-values.ts'
import {
  invalidParams,
  isSolanaError,
  solanaError,
} from '../../../../../src/core/solana/solana-error.ts'
import type { SolanaChain } from '../solana-chain.ts'
import type { Receipt } from '../solana-transactions.ts'
import { tooSoon } from './solana-chain-methods.ts'
import {
  inContext,
  type MethodTable,
  membersOf,
  momentOf,
  type Params,
  readKeyParam,
} from './solana-method.ts'
import { sendTransaction, simulateTransaction } from './solana-sending.ts'
import { type TransactionForm, transactionText } from './solana-transaction-text.ts'

const SIGNATURE_BYTES = 64
/** Longer ones are refused unread, as on a node: decoding costs the square of the length. */
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

const FORMS: readonly TransactionForm[] = ['base58', 'base64', 'json', 'jsonParsed']
const FORMS_LISTED = ['binary', 'base64', 'base58', 'json', 'jsonParsed']

export const TRANSACTION_METHODS: MethodTable = {
  sendTransaction: { min: 1, max: 2, answer: sendTransaction },
  simulateTransaction: { min: 1, max: 2, answer: simulateTransaction },
  getSignatureStatuses: { min: 1, max: 2, answer: getSignatureStatuses },
  getSignaturesForAddress: { min: 1, max: 2, answer: getSignaturesForAddress },
  getTransaction: { min: 1, max: 2, answer: getTransaction },
  requestAirdrop: { min: 2, max: 3, answer: requestAirdrop },
}

function confirmationOf({ slots }: SolanaChain, slot: number): Commitment {
  if (slot <= slots.slotAt('finalized')) return 'finalized'
  return slot <= slots.slotAt('confirmed') ? 'confirmed' : 'processed'
}

/** The fate of a transaction, and how final it is. */
function statusText(chain: SolanaChain, { slot, outcome }: Receipt): string {
  const sure = confirmationOf(chain, slot)
  const error = outcome.error?.json ?? null
  const members = [
    `"confirmationStatus":"${sure}"`,
    `"confirmations":${sure === 'finalized' ? 'null' : chain.slots.now - slot}`,
    `"err":${error ?? 'null'}`,
    `"slot":${slot}`,
    `"status":${error === null ? '{"Ok":null}' : `{"Err":${error}}`}`,
  ]
  return `{${members.join()}}`
}

function readSignature(text: string | undefined): string | SolanaError {
  const given = readString(text ?? 'null')
  if (isSolanaError(given)) return given
  if (given.length > SIGNATURE_CHARS_MAX) return invalidParams('Invalid param: WrongSize')
  const bytes = decodeBase58(given)
  if (bytes === null) return invalidParams('Invalid param: Invalid')
  if (bytes.length !== SIGNATURE_BYTES) return invalidParams('Invalid param: WrongSize')
  return encodeBase58(bytes)
}

function getSignatureStatuses(chain: SolanaChain, [listText = '']: Params): string | SolanaError {
  if (!isSequence(listText)) return wrongType(listText, 'a sequence')
  const elements = rawElements(listText)
  if (elements.length > SIGNATURES_MAX) {
    return invalidParams(`Too many inputs provided; max ${SIGNATURES_MAX}`)
  }
  const texts: string[] = []
  for (const element of elements) {
    const signature = readSignature(element)
    if (isSolanaError(signature)) return signature
    const receipt = chain.transactions.find(signature)
    texts.push(receipt === null ? 'null' : statusText(chain, receipt))
  }
  return inContext(chain.slots.now, `[${texts.join()}]`)
}

/** The transactions that name an address, the newest first, as far back as they are kept. */
function getSignaturesForAddress(chain: SolanaChain, [keyText, configText]: Params) {
  const key = readKeyParam(keyText)
  if (isSolanaError(key)) return key
  const members = membersOf(configText, 'RpcSignaturesForAddressConfig')
  if (isSolanaError(members)) return members
  const range = readRange(members)
  if (isSolanaError(range)) return range
  const { before, until, limit } = range
  const moment = momentOf(chain, momentText(members))
  if (isSolanaError(moment)) return moment
  if (moment.config.commitment === 'processed') return tooSoon()

  const all = chain.transactions.newestFirst()
  const from = before === null ? 0 : indexOf(all, before) + 1
  const to = until === null ? all.length : indexOf(all, until)
  const named = all.slice(from, to).filter(({ slot, loaded }) => {
    return slot <= moment.slot && loaded.keys.some((one) => sameKey(one, key))
  })
  return `[${named
    .slice(0, limit)
    .map((receipt) => signatureText(chain, receipt))
    .join()}]`
}

/** The place of a transaction; behind all of them where it is not kept. */
function indexOf(receipts: readonly Receipt[], signature: string): number {
  const at = receipts.findIndex((receipt) => receipt.signature === signature)
  return at === -1 ? receipts.length : at
}

function readRange(members: ReadonlyMap<string, string>) {
  const limit = readUnsigned(members.get('limit') ?? `${LISTED_MAX}`, 'usize')
  if (isSolanaError(limit)) return limit
  if (limit === 0n || limit > LISTED_MAX) {
    return invalidParams(`Invalid limit; max ${LISTED_MAX}`)
  }
  const [beforeText, untilText] = [members.get('before'), members.get('until')]
  const before = beforeText === undefined ? null : readSignature(beforeText)
  if (isSolanaError(before)) return before
  const until = untilText === undefined ? null : readSignature(untilText)
  if (isSolanaError(until)) return until
  return { before, until, limit: Number(limit) }
}

/** The members of a config by which it names a time. */
function momentText(members: ReadonlyMap<string, string>): string {
  const named = ['commitment', 'minContextSlot'].filter((name) => members.has(name))
  return `{${named.map((name) => `"${name}":${members.get(name)}`).join()}}`
}

function signatureText(chain: SolanaChain, receipt: Receipt): string {
  const { signature, slot, unixSeconds, outcome } = receipt
  const sure = confirmationOf(chain, slot)
  const fate = `"confirmationStatus":"${sure}","err":${outcome.error?.json ?? 'null'}`
  const memo = JSON.stringify(memoOf(receipt))
  return `{"blockTime":${unixSeconds},${fate},"memo":${memo},"signature":"${signature}","slot":${slot}}`
}

/** All memos of a transaction, each after its length, as a node lists them. */
function memoOf({ transaction }: Receipt): string | null {
  const memos = transaction.instructions
    .filter(({ programAt }) => MEMO_PROGRAMS.has(encodeKey(transaction.keys[programAt]!)))
    .map(({ data }) => `[${data.length}] ${Buffer.from(data).toString()}`)
  return memos.length === 0 ? null : memos.join('; ')
}

/** The second param is a config, or the form alone as in older days. */
function getTransaction(chain: SolanaChain, [text, second]: Params): string | SolanaError {
  const signature = readSignature(text)
  if (isSolanaError(signature)) return signature
  const bare = second?.startsWith('"') ? new Map([['encoding', second]]) : null
  const members = bare ?? membersOf(second, 'RpcTransactionConfig')
  if (isSolanaError(members)) return members
  const form = readName(members.get('encoding') ?? '"json"', FORMS, FORMS_LISTED)
  if (isSolanaError(form)) return form
  const versionText = members.get('maxSupportedTransactionVersion')
  const version = versionText === undefined ? null : readUnsigned(versionText, 'u8')
  if (isSolanaError(version)) return version
  const commitment = members.get('commitment')
  const configText = commitment === undefined ? undefined : `{"commitment":${commitment}}`
  const moment = momentOf(chain, configText)
  if (isSolanaError(moment)) return moment
  if (moment.config.commitment === 'processed') return tooSoon()

  const receipt = chain.transactions.find(signature)
  if (receipt === null || receipt.slot > moment.slot) return 'null'
  if (receipt.transaction.version === 0 && version === null) return unsupportedVersion()
  return transactionText(chain, receipt, form, version !== null)
}

function unsupportedVersion(): SolanaError {
  const parameter = '"maxSupportedTransactionVersion": 0'
  const what = 'Transaction version (0) is not supported by the requesting client.'
  const how = 'Please try the request again with the following configuration parameter:'
  return solanaError(-32015, `${what} ${how} ${parameter}`)
}

function requestAirdrop(chain: SolanaChain, [keyText, lamportsText = '']: Params) {
  const key = readKeyParam(keyText)
  if (isSolanaError(key)) return key
  const lamports = readUnsigned(lamportsText, 'u64')
  if (isSolanaError(lamports)) return lamports
  const receipt = chain.airdrop(key, lamports)
  if (typeof receipt !== 'string') return `"${receipt.signature}"`
  return solanaError(-32603, `Internal error: the airdrop failed: ${receipt}`)
}
