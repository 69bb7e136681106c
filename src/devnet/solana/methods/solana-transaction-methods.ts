import { rawElements } from '../../../core/json/json-scan.ts'
import type { SolanaError } from '../../../core/solana/account.ts'
import { decodeBase58, encodeBase58 } from '../../../core/solana/base58.ts'
import {
  isSequence,
  readName,
  readString,
  readUnsigned,
  wrongType,
} from '../../../core/solana/reply/node-values.ts'
import { invalidParams, isSolanaError, solanaError } from '../../../core/solana/solana-error.ts'
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

const FORMS: readonly TransactionForm[] = ['base58', 'base64', 'json', 'jsonParsed']
const FORMS_LISTED = ['binary', 'base64', 'base58', 'json', 'jsonParsed']

export const TRANSACTION_METHODS: MethodTable = {
  sendTransaction: { min: 1, max: 2, answer: sendTransaction },
  simulateTransaction: { min: 1, max: 2, answer: simulateTransaction },
  getSignatureStatuses: { min: 1, max: 2, answer: getSignatureStatuses },
  getTransaction: { min: 1, max: 2, answer: getTransaction },
  requestAirdrop: { min: 2, max: 3, answer: requestAirdrop },
}

/** The fate of a transaction, and how final it is. */
function statusText(chain: SolanaChain, { slot, outcome }: Receipt): string {
  const { slots } = chain
  const isFinal = slot <= slots.slotAt('finalized')
  const sure = isFinal ? 'finalized' : slot <= slots.slotAt('confirmed') ? 'confirmed' : 'processed'
  const error = outcome.error?.json ?? null
  const members = [
    `"confirmationStatus":"${sure}"`,
    `"confirmations":${isFinal ? 'null' : slots.now - slot}`,
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
