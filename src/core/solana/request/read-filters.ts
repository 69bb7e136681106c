import { rawElements, rawMembers } from '../../json/json-scan.ts'
import type { AccountFilter, SolanaError } from '../account.ts'
import {
  clipped,
  isMap,
  isSequence,
  missingField,
  readName,
  readTag,
  readUnsigned,
  refusal,
  unknownVariant,
  wrongType,
} from '../reply/node-values.ts'
import { invalidParams, isSolanaError } from '../solana-error.ts'
import { type Needle, readNeedle } from './read-needle.ts'

/** A filter whose types are right; what its bytes stand for is looked at later, as on a node. */
type FilterShape =
  | Exclude<AccountFilter, { kind: 'memcmp' }>
  | { kind: 'memcmp'; offset: number; needle: Needle }

const FILTERS_MAX = 4

const KINDS = ['dataSize', 'memcmp', 'tokenAccountState'] as const
const NEEDLE_ENCODINGS = ['base58', 'base64', 'bytes'] as const

/** Digits, commas and brackets: what a list of bytes is made of. */
const BYTE_LIST = /^[\d\s,[\]]*$/

/** Looks at types alone; `text` is null where no filters are given. */
export function readFilterShapes(text: string | null): FilterShape[] | SolanaError {
  if (text === null) return []
  if (!isSequence(text)) return wrongType(text, 'a sequence')
  const shapes: FilterShape[] = []
  for (const element of rawElements(text)) {
    const shape = readShape(element)
    if (isSolanaError(shape)) return shape
    shapes.push(shape)
  }
  return shapes
}

export function verifyFilters(shapes: readonly FilterShape[]): AccountFilter[] | SolanaError {
  if (shapes.length > FILTERS_MAX) {
    return invalidParams(`Too many filters provided; max ${FILTERS_MAX}`)
  }
  const filters: AccountFilter[] = []
  for (const shape of shapes) {
    if (shape.kind !== 'memcmp') {
      filters.push(shape)
      continue
    }
    const bytes = readNeedle(shape.needle)
    if (isSolanaError(bytes)) return bytes
    filters.push({ kind: 'memcmp', offset: shape.offset, bytes })
  }
  return filters
}

function readShape(text: string): FilterShape | SolanaError {
  const tag = readTag(text)
  if (isSolanaError(tag)) return tag
  const kind = KINDS.find((one) => one === tag.name)
  if (kind === undefined) return unknownVariant(tag.name, KINDS)
  if (kind === 'tokenAccountState') {
    if (tag.valueText === null || tag.valueText === 'null') return { kind }
    return wrongType(tag.valueText, 'unit')
  }
  if (tag.valueText === null) {
    return refusal('invalid type: unit variant, expected newtype variant')
  }
  if (kind === 'memcmp') return readMemcmp(tag.valueText)
  const bytes = readUnsigned(tag.valueText, 'u64')
  return isSolanaError(bytes) ? bytes : { kind, bytes: clipped(bytes) }
}

function readMemcmp(text: string): FilterShape | SolanaError {
  if (!isMap(text)) return wrongType(text, 'struct Memcmp')
  const members = rawMembers(text)

  const offsetText = members.get('offset')
  if (offsetText === undefined) return missingField('offset')
  const offset = readUnsigned(offsetText, 'usize')
  if (isSolanaError(offset)) return offset

  const bytesText = members.get('bytes')
  const bytes = bytesText === undefined ? null : readBytes(bytesText)
  if (isSolanaError(bytes)) return bytes

  const encodingText = members.get('encoding') ?? 'null'
  const encoding = encodingText === 'null' ? 'base58' : readName(encodingText, NEEDLE_ENCODINGS)
  if (isSolanaError(encoding)) return encoding

  if (bytes === null) return missingField('bytes')
  // A list is bytes whatever the encoding says, and a text is never `bytes` but base-58.
  const needle: Needle =
    typeof bytes === 'string'
      ? { form: encoding === 'base64' ? 'base64' : 'base58', text: bytes }
      : { form: 'raw', bytes }
  return { kind: 'memcmp', offset: clipped(offset), needle }
}

function readBytes(text: string): string | Uint8Array | SolanaError {
  if (text.startsWith('"')) return JSON.parse(text) as string
  if (isSequence(text) && BYTE_LIST.test(text)) {
    const values = JSON.parse(text) as unknown[]
    if (values.every((value) => typeof value === 'number' && value <= 255)) {
      return Uint8Array.from(values as number[])
    }
  }
  return refusal('data did not match any variant of untagged enum DataType')
}
