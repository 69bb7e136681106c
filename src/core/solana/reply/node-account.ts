import { findMembers, memberNames, noPlaces } from '../../json/find-members.ts'
import {
  CLOSE_ARRAY,
  COMMA,
  hasEscape,
  OPEN_ARRAY,
  parsed,
  QUOTE,
  skipSpace,
  stringEnd,
} from '../../json/json-bytes.ts'
import type { Account } from '../account.ts'
import { decodeKey, encodeKey } from '../base58.ts'
import { pubkeyOf } from './record-members.ts'

export type NodeAccount = Account & {
  /** The text of its key, which takes longer to make than all the rest of a record. */
  keyText: Uint8Array
  /** How long its data is in full, where less of it was asked for; null if the node is silent. */
  space: number | null
}

const RECORD = memberNames('account', 'pubkey')
const ACCOUNT = memberNames('data', 'executable', 'lamports', 'owner', 'rentEpoch', 'space')
const recordPlaces = noPlaces(RECORD)
const accountPlaces = noPlaces(ACCOUNT)
const found = { pubkeyFrom: 0, pubkeyTo: 0, pageKeyFrom: 0, pageKeyTo: 0 }

const U64_MAX = 2n ** 64n - 1n
const SAFE_MAX = BigInt(Number.MAX_SAFE_INTEGER)
const U64_DIGITS_MAX = 20
/** Whole numbers of so many digits are exact in a double. */
const SAFE_DIGITS = 15
const DIGIT_ZERO = 48
const DIGIT_NINE = 57

const utf8 = new TextEncoder()
const BASE64 = utf8.encode('"base64"')
const TRUE = utf8.encode('true')
const FALSE = utf8.encode('false')

/**
 * Opens a reader of the records of one program, in base64. It gives null for what is no such
 * record, and for one of another owner.
 */
export function openAccountReader(program: Uint8Array): (record: Uint8Array) => NodeAccount | null {
  const ownerText = utf8.encode(`"${encodeKey(program)}"`)

  return (bytes) => {
    if (findMembers(bytes, 0, RECORD, recordPlaces) !== bytes.length) return null
    found.pubkeyFrom = recordPlaces[2] as number
    found.pubkeyTo = recordPlaces[3] as number
    const pubkey = pubkeyOf(bytes, found)
    if (pubkey === null || recordPlaces[1] === 0) return null
    if (findMembers(bytes, recordPlaces[0] as number, ACCOUNT, accountPlaces) < 0) return null
    if (!isOwner(bytes, ownerText, program)) return null
    return readFields(bytes, pubkey, program)
  }
}

/** The data of an account in base64 that stands without its key, as in a notification. */
export function readAccountData(bytes: Uint8Array): Uint8Array | null {
  if (findMembers(bytes, 0, ACCOUNT, accountPlaces) !== bytes.length) return null
  return readData(bytes, fromOf(DATA), toOf(DATA))
}

/** Where the last account's members lie, by their place in the list of names. */
const DATA = 0
const EXECUTABLE = 1
const LAMPORTS = 2
const OWNER = 3
const RENT_EPOCH = 4
const SPACE = 5

function fromOf(member: number): number {
  return accountPlaces[2 * member] as number
}

/** Zero for a member that is not there. */
function toOf(member: number): number {
  return accountPlaces[2 * member + 1] as number
}

function readFields(bytes: Uint8Array, pubkey: Uint8Array, owner: Uint8Array): NodeAccount | null {
  const executable = isText(bytes, fromOf(EXECUTABLE), toOf(EXECUTABLE), TRUE)
  if (!executable && !isText(bytes, fromOf(EXECUTABLE), toOf(EXECUTABLE), FALSE)) return null
  const lamports = readU64(bytes, fromOf(LAMPORTS), toOf(LAMPORTS))
  // Nodes of the future may leave out what no account owes any more.
  const hasRent = toOf(RENT_EPOCH) !== 0
  const rentEpoch = hasRent ? readU64(bytes, fromOf(RENT_EPOCH), toOf(RENT_EPOCH)) : U64_MAX
  const space = toOf(SPACE) === 0 ? 0n : readU64(bytes, fromOf(SPACE), toOf(SPACE))
  const data = readData(bytes, fromOf(DATA), toOf(DATA))
  if (lamports === null || rentEpoch === null || data === null) return null
  if (space === null || space > SAFE_MAX) return null
  return {
    pubkey,
    keyText: keyTextOf(bytes, pubkey),
    owner,
    lamports,
    rentEpoch,
    executable,
    data,
    space: toOf(SPACE) === 0 ? null : Number(space),
  }
}

function keyTextOf(bytes: Uint8Array, pubkey: Uint8Array): Uint8Array {
  const { pubkeyFrom, pubkeyTo } = found
  return hasEscape(bytes, pubkeyFrom, pubkeyTo)
    ? utf8.encode(encodeKey(pubkey))
    : new Uint8Array(bytes.subarray(pubkeyFrom + 1, pubkeyTo - 1))
}

/** Compared as text: to read a key takes ten times as long. */
function isOwner(bytes: Uint8Array, ownerText: Uint8Array, program: Uint8Array): boolean {
  const from = fromOf(OWNER)
  const to = toOf(OWNER)
  if (isText(bytes, from, to, ownerText)) return true
  if (!hasEscape(bytes, from, to) || bytes[from] !== QUOTE) return false
  const text = parsed(bytes, from, to)
  const key = typeof text === 'string' ? decodeKey(text) : null
  return key !== null && isText(key, 0, key.length, program)
}

/** `["…","base64"]`, and nothing else: any other encoding was not asked for. */
function readData(bytes: Uint8Array, from: number, to: number): Uint8Array | null {
  if (to === 0 || bytes[from] !== OPEN_ARRAY) return null
  const textFrom = skipSpace(bytes, from + 1)
  if (bytes[textFrom] !== QUOTE) return null
  const textTo = stringEnd(bytes, textFrom)
  const commaAt = skipSpace(bytes, textTo)
  if (bytes[commaAt] !== COMMA) return null
  const nameFrom = skipSpace(bytes, commaAt + 1)
  const nameTo = nameFrom + BASE64.length
  if (!isText(bytes, nameFrom, nameTo, BASE64)) return null
  const closeAt = skipSpace(bytes, nameTo)
  if (bytes[closeAt] !== CLOSE_ARRAY || closeAt + 1 !== to) return null
  const text = hasEscape(bytes, textFrom, textTo)
    ? parsed(bytes, textFrom, textTo)
    : latin1(bytes, textFrom + 1, textTo - 1)
  return typeof text === 'string' ? decoded(text) : null
}

function decoded(base64: string): Uint8Array | null {
  try {
    return Uint8Array.fromBase64(base64, { lastChunkHandling: 'strict' })
  } catch {
    return null
  }
}

function readU64(bytes: Uint8Array, from: number, to: number): bigint | null {
  const length = to - from
  if (length <= 0 || length > U64_DIGITS_MAX) return null
  if (length > 1 && bytes[from] === DIGIT_ZERO) return null
  let sum = 0
  for (let at = from; at < to; at++) {
    const code = bytes[at] as number
    if (code < DIGIT_ZERO || code > DIGIT_NINE) return null
    sum = sum * 10 + (code - DIGIT_ZERO)
  }
  if (length <= SAFE_DIGITS) return BigInt(sum)
  const value = BigInt(latin1(bytes, from, to))
  return value <= U64_MAX ? value : null
}

function isText(bytes: Uint8Array, from: number, to: number, text: Uint8Array): boolean {
  if (to - from !== text.length) return false
  for (let at = 0; at < text.length; at++) if (bytes[from + at] !== text[at]) return false
  return true
}

function latin1(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1')
}
