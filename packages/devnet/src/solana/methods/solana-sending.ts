import { type Account, decodeBase58 } from '../solana-account.ts'
import type { SolanaChain } from '../solana-chain.ts'
import {
  readTransaction,
  TRANSACTION_BYTES_MAX,
  type WireTransaction,
} from '../solana-transaction.ts'
import { SIGNATURE_FAILURE, signatureOf } from '../solana-transactions.ts'
import { shownAccount } from './solana-account-form.ts'
import { blockhashAt } from './solana-chain-methods.ts'
import {
  type Config,
  configOf,
  inContext,
  invalidParams,
  momentOf,
  type Params,
  readChoice,
  readFlag,
  readKey,
  readList,
  readText,
  SolanaRefusal,
} from './solana-method.ts'
import { shownOutcome } from './solana-transaction-form.ts'

const TYPE_NAME = 'solana_transaction::versioned::VersionedTransaction'

/** How long a full packet can be as text. */
const BASE58_CHARS_MAX = 1_683
const BASE64_CHARS_MAX = 1_644

/** A transaction names a few hundred accounts at most. */
const SHOWN_ACCOUNTS_MAX = 256

export function sendTransaction(chain: SolanaChain, [text, given]: Params): string {
  const config = configOf(given)
  const { preflightCommitment, minContextSlot } = config
  momentOf(chain, { commitment: preflightCommitment, minContextSlot })
  const transaction = decode(text, config)

  if (!readFlag(config.skipPreflight)) {
    const { outcome } = chain.transactions.rehearse(transaction, { verify: true, asIs: false })
    const { error } = outcome
    if (error?.name === SIGNATURE_FAILURE) throw badSignature()
    if (error !== null) {
      const words = `Transaction simulation failed: ${error.words}`
      throw new SolanaRefusal(-32002, words, shownOutcome(outcome))
    }
  }
  // Without a rehearsal a node does not wait for what becomes of a transaction.
  chain.transactions.run(transaction)
  return signatureOf(transaction)
}

export function simulateTransaction(chain: SolanaChain, [text, given]: Params) {
  const config = configOf(given)
  const [verify, replace] = [readFlag(config.sigVerify), readFlag(config.replaceRecentBlockhash)]
  if (verify && replace) {
    throw invalidParams('sigVerify may not be used with replaceRecentBlockhash')
  }
  const { slot } = momentOf(chain, config)
  const transaction = decode(text, config)

  const { outcome, after } = chain.transactions.rehearse(transaction, { verify, asIs: replace })
  if (outcome.error?.name === SIGNATURE_FAILURE) throw badSignature()
  return inContext(
    chain.slots.now,
    shownOutcome(outcome, {
      accounts: shownAccounts(chain, config.accounts, after),
      replacementBlockhash: replace ? blockhashAt(chain, slot) : null,
      withInner: readFlag(config.innerInstructions),
    }),
  )
}

function shownAccounts(chain: SolanaChain, given: unknown, after: readonly Account[]) {
  if (given === undefined || given === null) return null
  const config = configOf(given)
  const known = ['base64', 'base64+zstd', 'jsonParsed'] as const
  const encoding = readChoice(config.encoding ?? 'base64', known)
  return readList(config.addresses, SHOWN_ACCOUNTS_MAX)
    .map(readKey)
    .map((key) => {
      const changed = after.find(({ pubkey }) => pubkey === key)
      const account = changed ?? chain.accounts.at(key, 'processed')
      return account && shownAccount(chain, 'processed', account, { encoding, dataSlice: null })
    })
}

function decode(given: unknown, config: Config): WireTransaction {
  const text = readText(given)
  const encoding = readText(config.encoding ?? 'base58')
  const bytes = decodeText(text, encoding)
  if (bytes.length > TRANSACTION_BYTES_MAX) {
    const size = `${bytes.length} bytes (max: ${TRANSACTION_BYTES_MAX} bytes)`
    throw invalidParams(`decoded ${TYPE_NAME} too large: ${size}`)
  }
  const transaction = readTransaction(bytes)
  if (typeof transaction === 'string') throw invalidParams(transaction)
  return transaction
}

function decodeText(text: string, encoding: string): Uint8Array {
  if (encoding !== 'base64' && encoding !== 'base58' && encoding !== 'binary') {
    throw invalidParams(`unsupported encoding: ${encoding}. Supported encodings: base58, base64`)
  }
  const charsMax = encoding === 'base64' ? BASE64_CHARS_MAX : BASE58_CHARS_MAX
  if (text.length > charsMax) {
    const limits = `(max: encoded/raw ${charsMax}/${TRANSACTION_BYTES_MAX})`
    throw invalidParams(
      `${encoding} encoded ${TYPE_NAME} too large: ${text.length} bytes ${limits}`,
    )
  }
  try {
    return encoding === 'base64' ? Uint8Array.fromBase64(text) : decodeBase58(text)
  } catch {
    const fault = encoding === 'base64' ? 'InvalidByte' : 'InvalidCharacter'
    throw invalidParams(`invalid ${encoding} encoding: ${fault}`)
  }
}

function badSignature(): SolanaRefusal {
  return new SolanaRefusal(-32003, 'Transaction signature verification failure')
}
