import { constants, zstdCompressSync } from 'node:zlib'
import { exactNumber } from '../../parse-exactly.ts'
import { type Account, type Commitment, encodeBase58 } from '../solana-account.ts'
import type { SolanaChain } from '../solana-chain.ts'
import { type DecimalsOf, mintFacts, parseToken, tokenState } from './parsed-token.ts'
import { type Config, configOf, readChoice, readWhole, SolanaRefusal } from './solana-method.ts'

export type AccountForm = {
  encoding: (typeof ENCODINGS)[number]
  dataSlice: { offset: number; length: number } | null
}

const ENCODINGS = ['binary', 'base58', 'base64', 'base64+zstd', 'jsonParsed'] as const

/** A node refuses more in base 58, which costs the square of the length. */
const BASE58_BYTES_MAX = 128

/** A node compresses as a stream that does not know its length; its header names 2 MiB. */
const ZSTD_PARAMS = {
  [constants.ZSTD_c_compressionLevel]: 3,
  [constants.ZSTD_c_contentSizeFlag]: 0,
}
const ZSTD_WINDOW_AT = 5
const ZSTD_WINDOW = 0x58

/** Wrapped SOL: a node knows its decimals without looking at its mint. */
const NATIVE_MINT = 'So11111111111111111111111111111111111111112'
const NATIVE_DECIMALS = 9

export function formOf(config: Config, preset: AccountForm['encoding']): AccountForm {
  const encoding = readChoice(config.encoding ?? preset, ENCODINGS)
  const slice = config.dataSlice ?? null
  if (slice === null) return { encoding, dataSlice: null }
  const { offset, length } = configOf(slice)
  const dataSlice = { offset: Number(readWhole(offset)), length: Number(readWhole(length)) }
  return { encoding, dataSlice }
}

export function shownAccount(
  chain: SolanaChain,
  commitment: Commitment,
  account: Account,
  { encoding, dataSlice }: AccountForm,
) {
  const { executable, lamports, owner, rentEpoch } = account
  const { offset, length } = dataSlice ?? { offset: 0, length: account.data.length }
  const data = account.data.subarray(offset, offset + length)
  const parsed =
    encoding === 'jsonParsed' ? parseToken(account, decimalsAt(chain, commitment)) : null
  return {
    data: parsed ?? dataOf(data, encoding),
    executable,
    lamports: exactNumber(lamports),
    owner,
    rentEpoch: exactNumber(rentEpoch),
    space: account.data.length,
  }
}

/** The same for a call, which is refused where base 58 is asked for and the data are too long. */
export function answeredAccount(
  chain: SolanaChain,
  commitment: Commitment,
  account: Account,
  form: AccountForm,
) {
  const bytes = Math.min(account.data.length, form.dataSlice?.length ?? Number.POSITIVE_INFINITY)
  const isBase58 = form.encoding === 'binary' || form.encoding === 'base58'
  if (isBase58 && bytes > BASE58_BYTES_MAX) {
    const what = 'Encoded binary (base 58) data should be less than 128 bytes'
    throw new SolanaRefusal(-32600, `${what}, please use Base64 encoding.`)
  }
  return shownAccount(chain, commitment, account, form)
}

export function decimalsAt({ accounts }: SolanaChain, commitment: Commitment): DecimalsOf {
  const known = new Map<string, number | null>([[NATIVE_MINT, NATIVE_DECIMALS]])
  return (mint) => {
    const found = known.get(mint)
    if (found !== undefined) return found
    const data = accounts.at(mint, commitment)?.data
    const state = data && tokenState(data)
    const decimals = state?.kind === 'mint' ? mintFacts(state).decimals : null
    known.set(mint, decimals)
    return decimals
  }
}

function dataOf(data: Uint8Array, encoding: AccountForm['encoding']): string | [string, string] {
  if (encoding === 'binary' || encoding === 'base58') {
    const isShort = data.length <= BASE58_BYTES_MAX
    const text = isShort ? encodeBase58(data) : 'error: data too large for bs58 encoding'
    return encoding === 'binary' ? text : [text, encoding]
  }
  if (encoding !== 'base64+zstd') return [data.toBase64(), 'base64']
  const frame = zstdCompressSync(data, { params: ZSTD_PARAMS })
  frame[ZSTD_WINDOW_AT] = ZSTD_WINDOW
  return [frame.toString('base64'), encoding]
}
