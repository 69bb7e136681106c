import { type RawMembers, rawElements, rawMembers } from '../../json/json-scan.ts'
import type { Commitment, DataSlice, SolanaError } from '../account.ts'
import {
  clipped,
  isMap,
  isSequence,
  missingField,
  readBoolean,
  readName,
  readString,
  readUnsigned,
  refusal,
  unknownVariant,
  wrongType,
  wrongValue,
} from '../reply/node-values.ts'
import { isSolanaError } from '../solana-error.ts'
import { readFilterShapes } from './read-filters.ts'

/** Null for members that are not given. */
type Optional<T> = { [Name in keyof T]: T[Name] | null }

/** As a node lists them, and ours behind them. */
const ENCODINGS = ['binary', 'base58', 'base64', 'jsonParsed', 'base64+zstd', 'json'] as const

const COMMITMENTS: ReadonlyMap<string, Commitment> = new Map([
  ['processed', 'processed'],
  ['confirmed', 'confirmed'],
  ['finalized', 'finalized'],
  // Names that nodes had before 2.0; today's take them for finalized without a word.
  ['recent', 'processed'],
  ['single', 'confirmed'],
  ['singleGossip', 'confirmed'],
  ['root', 'finalized'],
  ['max', 'finalized'],
])
const COMMITMENTS_LISTED = ['processed', 'confirmed', 'finalized']

const ORDERS = ['asc', 'desc'] as const

/**
 * The values of a caller's config; null where it says nothing. Looks at types alone; `text` is
 * null where no config is given. No caller may ask for more records than `limitMax` in one page.
 */
export function readConfig(
  text: string | null,
  version: 1 | 2,
  limitMax: number = Number.MAX_SAFE_INTEGER,
) {
  if (text !== null && !isMap(text)) return wrongType(text, 'struct RpcProgramAccountsConfig')
  const members = rawMembers(text ?? '{}')

  // In the order in which a node reads them, so that of several faults it names the same.
  const filters = readFilterShapes(given(members, 'filters'))
  if (isSolanaError(filters)) return filters

  const fields = readAll(members, {
    // Results are always sorted: pages need it. The type is checked all the same.
    sortResults: readBoolean,
    withContext: readBoolean,
    dataSlice: readDataSlice,
    encoding: (text) => readName(text, ENCODINGS),
    minContextSlot: (text) => readUnsigned(text, 'u64'),
    // A node ignores these and the members below. We check them: after a mistyped page key, the
    // pages would start over.
    commitment: readCommitment,
    order: readOrder,
    limit: (text) => readLimit(text, limitMax),
  })
  if (isSolanaError(fields)) return fields

  const pageKeyName = version === 1 ? 'pageKey' : 'paginationKey'
  const pageKey = optional(members, pageKeyName, (text) => readString(text, pageKeyName))
  if (isSolanaError(pageKey)) return pageKey

  const readSince = (text: string) => readUnsigned(text, 'u64', 'changedSinceSlot')
  const since = version === 1 ? null : optional(members, 'changedSinceSlot', readSince)
  if (isSolanaError(since)) return since

  const { encoding, dataSlice } = fields
  if (dataSlice !== null && (encoding === 'json' || encoding === 'jsonParsed')) {
    const fitting = '`base58`, `base64` or `base64+zstd`'
    return refusal(`dataSlice: not valid with encoding \`${encoding}\`, expected ${fitting}`)
  }
  return {
    ...fields,
    filters,
    withContext: fields.withContext ?? false,
    commitment: fields.commitment ?? 'finalized',
    order: fields.order ?? 'asc',
    pageKey,
    changedSinceSlot: since,
  }
}

/** Reads members in the order of their readers, up to the first fault. */
function readAll<T extends object>(
  members: RawMembers,
  readers: { [Name in keyof T]: (text: string) => T[Name] | SolanaError },
): Optional<T> | SolanaError {
  const values: Partial<Optional<T>> = {}
  for (const name in readers) {
    const value = optional(members, name, readers[name])
    if (isSolanaError(value)) return value
    values[name] = value
  }
  return values as Optional<T>
}

function readDataSlice(text: string): DataSlice | SolanaError {
  if (isSequence(text)) return readSlicePair(rawElements(text))
  if (!isMap(text)) return wrongType(text, 'struct UiDataSliceConfig')
  const members = rawMembers(text)
  const lengthText = members.get('length')
  const offsetText = members.get('offset')
  // A node reads members by their names' order, but misses them in the order of its fields.
  const length = lengthText === undefined ? null : readUnsigned(lengthText, 'usize')
  if (isSolanaError(length)) return length
  const offset = offsetText === undefined ? null : readUnsigned(offsetText, 'usize')
  if (isSolanaError(offset)) return offset
  if (offset === null) return missingField('offset')
  if (length === null) return missingField('length')
  return { offset: clipped(offset), length: clipped(length) }
}

/** A node also takes `[offset, length]`. */
function readSlicePair(elements: readonly string[]): DataSlice | SolanaError {
  const numbers: number[] = []
  for (const element of elements.slice(0, 2)) {
    const value = readUnsigned(element, 'usize')
    if (isSolanaError(value)) return value
    numbers.push(clipped(value))
  }
  const [offset, length] = numbers
  if (offset === undefined || length === undefined) {
    const expected = 'struct UiDataSliceConfig with 2 elements'
    return refusal(`invalid length ${elements.length}, expected ${expected}`)
  }
  if (elements.length > 2) {
    return refusal(`invalid length ${elements.length}, expected 2 elements in sequence`)
  }
  return { offset, length }
}

function readCommitment(text: string): Commitment | SolanaError {
  const name = readString(text, 'commitment')
  if (isSolanaError(name)) return name
  return COMMITMENTS.get(name) ?? unknownVariant(name, COMMITMENTS_LISTED, 'commitment')
}

function readOrder(text: string): 'asc' | 'desc' | SolanaError {
  const name = readString(text, 'order')
  if (isSolanaError(name)) return name
  return ORDERS.find((one) => one === name) ?? unknownVariant(name, ORDERS, 'order')
}

function readLimit(text: string, limitMax: number): number | SolanaError {
  const expected = `an integer from 1 to ${limitMax}`
  const limit = readUnsigned(text, expected, 'limit')
  if (isSolanaError(limit)) return limit
  if (limit < 1n || limit > BigInt(limitMax)) return wrongValue(text, expected, 'limit')
  return Number(limit)
}

function optional<T>(
  members: RawMembers,
  name: string,
  read: (text: string) => T | SolanaError,
): T | SolanaError | null {
  const text = given(members, name)
  return text === null ? null : read(text)
}

/** Null counts as not given, as on a node. */
function given(members: RawMembers, name: string): string | null {
  const text = members.get(name)
  return text === undefined || text === 'null' ? null : text
}
