import { exactNumber } from '../../parse-exactly.ts'
import { type Account, decodeBase58, isTokenProgram } from '../solana-account.ts'
import type { SolanaChain } from '../solana-chain.ts'
import { parseToken, tokenState } from './parsed-token.ts'
import { answeredAccount, decimalsAt, formOf } from './solana-account-form.ts'
import {
  configOf,
  inContext,
  invalidParams,
  type MethodTable,
  type Moment,
  momentOf,
  type Params,
  readFlag,
  readKey,
  readList,
  readText,
  readWhole,
  wrongType,
} from './solana-method.ts'

type Filter = (account: Account) => boolean

/** The keys and filters that a node takes in one call unless its operator says otherwise. */
const MULTIPLE_ACCOUNTS_MAX = 100
const FILTERS_MAX = 4

/** Text of a memcmp filter, for 128 bytes. */
const NEEDLE_CHARS_MAX = 175

export const ACCOUNT_METHODS: MethodTable = {
  getBalance: { min: 1, max: 2, answer: getBalance },
  getAccountInfo: { min: 1, max: 2, answer: getAccountInfo },
  getMultipleAccounts: { min: 1, max: 2, answer: getMultipleAccounts },
  getProgramAccounts: { min: 1, max: 2, answer: getProgramAccounts },
}

function getBalance(chain: SolanaChain, [key, config]: Params) {
  const { commitment, slot } = momentOf(chain, config)
  const lamports = chain.accounts.at(readKey(key), commitment)?.lamports ?? 0n
  return inContext(slot, exactNumber(lamports))
}

function getAccountInfo(chain: SolanaChain, [key, config]: Params) {
  const { commitment, slot } = momentOf(chain, config)
  const account = chain.accounts.at(readKey(key), commitment)
  const form = formOf(configOf(config), 'binary')
  return inContext(slot, account && answeredAccount(chain, commitment, account, form))
}

function getMultipleAccounts(chain: SolanaChain, [list, config]: Params) {
  const keys = readList(list, MULTIPLE_ACCOUNTS_MAX).map(readKey)
  const { commitment, slot } = momentOf(chain, config)
  const form = formOf(configOf(config), 'base64')
  const accounts = keys.map((key) => chain.accounts.at(key, commitment))
  return inContext(
    slot,
    accounts.map((account) => account && answeredAccount(chain, commitment, account, form)),
  )
}

function getProgramAccounts(chain: SolanaChain, [key, given]: Params) {
  const program = readKey(key)
  const config = configOf(given)
  const moment = momentOf(chain, config)
  const form = formOf(config, 'binary')
  const isWanted = readFilters(chain, moment, program, config)
  const { commitment, slot } = moment
  const records = chain.accounts
    .ofProgram(program, commitment)
    .filter(isWanted)
    .map((account) => ({
      account: answeredAccount(chain, commitment, account, form),
      pubkey: account.pubkey,
    }))
  return readFlag(config.withContext) ? inContext(slot, records) : records
}

export function readFilters(
  chain: SolanaChain,
  { commitment }: Pick<Moment, 'commitment'>,
  program: string,
  config: ReturnType<typeof configOf>,
): Filter {
  const filters = readList(config.filters ?? [], Number.POSITIVE_INFINITY).map(readFilter)
  if (filters.length > FILTERS_MAX) {
    throw invalidParams(`Too many filters provided; max ${FILTERS_MAX}`)
  }
  if (config.encoding === 'jsonParsed' && isTokenProgram(program)) {
    // A node leaves out the accounts of the token programs that it cannot parse.
    const decimalsOf = decimalsAt(chain, commitment)
    filters.push((account) => parseToken(account, decimalsOf) !== null)
  }
  return (account) => filters.every((filter) => filter(account))
}

function readFilter(given: unknown): Filter {
  if (given === 'tokenAccountState') return ({ data }) => tokenState(data)?.kind === 'account'
  const { dataSize, memcmp, ...other } = configOf(given)
  if ('tokenAccountState' in other) return readFilter('tokenAccountState')
  if (dataSize !== undefined) {
    const bytes = Number(readWhole(dataSize))
    return ({ data }) => data.length === bytes
  }
  if (memcmp === undefined) throw wrongType(given, 'a filter')
  const { offset, bytes, encoding } = configOf(memcmp)
  const start = Number(readWhole(offset))
  const needle = Buffer.from(readNeedle(bytes, encoding))
  return ({ data }) => {
    const end = start + needle.length
    return end <= data.length && needle.equals(data.subarray(start, end))
  }
}

function readNeedle(bytes: unknown, encoding: unknown): Uint8Array {
  if (Array.isArray(bytes)) return Uint8Array.from(bytes.map((byte) => Number(readWhole(byte))))
  const text = readText(bytes)
  if (text.length > NEEDLE_CHARS_MAX) {
    throw invalidParams('Invalid param: encoded data too large')
  }
  try {
    return encoding === 'base64' ? Uint8Array.fromBase64(text) : decodeBase58(text)
  } catch {
    throw invalidParams('Invalid param: the bytes of a filter cannot be decoded')
  }
}
