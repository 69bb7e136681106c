import type { Account, SolanaError } from '../../../../../src/core/solana/account.ts'
import { decodeBase58 } from '../../../../../src/core/solana/base58.ts'
import { sameKey } from '../../../../../src/core/solana/programs.ts'
import {
  readBoolean,
  readName,
  readString,
} from '../../../../../src/core/solana/reply/node-values.ts'
import {
  invalidParams,
  isSolanaError,
  solanaError,
} from '../../../../../src/core/solana/solana-error.ts'
import type { SolanaChain } from '../solana-chain.ts'
import {
  readTransaction,
  TRANSACTION_BYTES_MAX,
  type WireTransaction,
} from '../solana-transaction.ts'
import { SIGNATURE_FAILURE, signatureOf } from '../solana-transactions.ts'
import { accountText } from './solana-account-text.ts'
import { blockhashText } from './solana-chain-methods.ts'
import { inContext, membersOf, momentOf, type Params, readKeysParam } from './solana-method.ts'
import { outcomeText } from './solana-transaction-text.ts'

type Members = ReadonlyMap<string, string>

const TYPE_NAME = 'solana_transaction::versioned::VersionedTransaction'

/** How long a full packet can be as text. */
const BASE58_CHARS_MAX = 1_683
const BASE64_CHARS_MAX = 1_644
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

const NOTHING_MORE = { accountsText: 'null', replacementText: 'null', withInner: false }

/** A transaction names a few hundred accounts at most. */
const SHOWN_ACCOUNTS_MAX = 256

/** Rehearses a transaction unless told not to, and then runs it. */
export function sendTransaction(chain: SolanaChain, params: Params): string | SolanaError {
  const [text = 'null', configText] = params
  const members = membersOf(configText, 'RpcSendTransactionConfig')
  if (isSolanaError(members)) return members
  const skipPreflight = flag(members, 'skipPreflight')
  if (isSolanaError(skipPreflight)) return skipPreflight
  const moment = momentOf(chain, momentText(members, 'preflightCommitment'))
  if (isSolanaError(moment)) return moment
  const transaction = decode(text, members)
  if (isSolanaError(transaction)) return transaction

  if (!skipPreflight) {
    const { outcome } = chain.transactions.rehearse(transaction, { verify: true, asIs: false })
    const { error } = outcome
    if (error?.name === SIGNATURE_FAILURE) return badSignature()
    if (error !== null) {
      const words = `Transaction simulation failed: ${error.words}`
      return solanaError(-32002, words, outcomeText(outcome, NOTHING_MORE))
    }
  }
  // Without a rehearsal a node does not wait for what becomes of a transaction.
  chain.transactions.run(transaction)
  return `"${signatureOf(transaction)}"`
}

export function simulateTransaction(chain: SolanaChain, params: Params): string | SolanaError {
  const [text = 'null', configText] = params
  const members = membersOf(configText, 'RpcSimulateTransactionConfig')
  if (isSolanaError(members)) return members
  const [verify, replace, withInner] = [
    flag(members, 'sigVerify'),
    flag(members, 'replaceRecentBlockhash'),
    flag(members, 'innerInstructions'),
  ]
  if (isSolanaError(verify)) return verify
  if (isSolanaError(replace)) return replace
  if (isSolanaError(withInner)) return withInner
  if (verify && replace) {
    return invalidParams('sigVerify may not be used with replaceRecentBlockhash')
  }
  const moment = momentOf(chain, momentText(members, 'commitment'))
  if (isSolanaError(moment)) return moment
  const transaction = decode(text, members)
  if (isSolanaError(transaction)) return transaction

  const options = { verify, asIs: replace }
  const { outcome, after } = chain.transactions.rehearse(transaction, options)
  if (outcome.error?.name === SIGNATURE_FAILURE) return badSignature()
  const accountsText = shownAccounts(chain, members.get('accounts'), after)
  if (isSolanaError(accountsText)) return accountsText
  const replacementText = replace ? blockhashText(chain, moment.slot) : 'null'
  const more = { accountsText, replacementText, withInner }
  return inContext(chain.slots.now, outcomeText(outcome, more))
}

/** Accounts that the caller wants to see as they would be afterwards. */
function shownAccounts(
  chain: SolanaChain,
  configText: string | undefined,
  after: readonly Account[],
): string | SolanaError {
  if (configText === undefined) return 'null'
  const members = membersOf(configText, 'RpcSimulateTransactionAccountsConfig')
  if (isSolanaError(members)) return members
  const keys = readKeysParam(members.get('addresses') ?? 'null', SHOWN_ACCOUNTS_MAX)
  if (isSolanaError(keys)) return keys
  const known = ['base64', 'base64+zstd', 'jsonParsed'] as const
  const encoding = readName(members.get('encoding') ?? '"base64"', known)
  if (isSolanaError(encoding)) return encoding
  const texts: string[] = []
  for (const key of keys) {
    const changed = after.find(({ pubkey }) => sameKey(pubkey, key))
    const account = changed ?? chain.history.at(key, chain.slots.now)
    const form = { encoding, dataSlice: null }
    const text = account === null ? 'null' : accountText(chain, chain.slots.now, account, form)
    if (isSolanaError(text)) return text
    texts.push(text)
  }
  return `[${texts.join()}]`
}

function decode(text: string, members: Members): WireTransaction | SolanaError {
  const given = readString(text)
  if (isSolanaError(given)) return given
  const listed = ['binary', 'base64', 'base58', 'json', 'jsonParsed'] as const
  const encoding = readName(members.get('encoding') ?? '"base58"', listed)
  if (isSolanaError(encoding)) return encoding
  const bytes = encoding === 'base64' ? fromBase64(given) : fromBase58(given, encoding)
  if (isSolanaError(bytes)) return bytes
  if (bytes.length > TRANSACTION_BYTES_MAX) {
    const size = `${bytes.length} bytes (max: ${TRANSACTION_BYTES_MAX} bytes)`
    return invalidParams(`decoded ${TYPE_NAME} too large: ${size}`)
  }
  const transaction = readTransaction(bytes)
  return typeof transaction === 'string' ? invalidParams(transaction) : transaction
}

function fromBase64(text: string): Uint8Array | SolanaError {
  if (text.length > BASE64_CHARS_MAX) return tooLong('base64', text.length, BASE64_CHARS_MAX)
  if (!BASE64.test(text)) return invalidParams('invalid base64 encoding: InvalidByte')
  return Uint8Array.fromBase64(text)
}

function fromBase58(text: string, encoding: string): Uint8Array | SolanaError {
  if (encoding !== 'base58' && encoding !== 'binary') {
    const supported = 'Supported encodings: base58, base64'
    return invalidParams(`unsupported encoding: ${encoding}. ${supported}`)
  }
  if (text.length > BASE58_CHARS_MAX) return tooLong('base58', text.length, BASE58_CHARS_MAX)
  return decodeBase58(text) ?? invalidParams('invalid base58 encoding: InvalidCharacter')
}

function tooLong(encoding: string, chars: number, charsMax: number): SolanaError {
  const limits = `(max: encoded/raw ${charsMax}/${TRANSACTION_BYTES_MAX})`
  return invalidParams(`${encoding} encoded ${TYPE_NAME} too large: ${chars} bytes ${limits}`)
}

function badSignature(): SolanaError {
  return solanaError(-32003, 'Transaction signature verification failure')
}

function flag(members: Members, name: string): boolean | SolanaError {
  const text = members.get(name)
  return text === undefined ? false : readBoolean(text)
}

/** The part of a config that says which slot is meant. */
function momentText(members: Members, commitmentName: string): string {
  const parts = [
    ['commitment', members.get(commitmentName)],
    ['minContextSlot', members.get('minContextSlot')],
  ].filter(([, value]) => value !== undefined)
  return `{${parts.map(([name, value]) => `"${name}":${value}`).join()}}`
}
