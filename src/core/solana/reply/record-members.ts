import {
  CLOSE_OBJECT,
  COMMA,
  hasEscape,
  INCOMPLETE,
  isString,
  keyEnd,
  MALFORMED,
  OPEN_OBJECT,
  parsed,
  QUOTE,
  skipSpace,
  valueEnd,
  valueStart,
} from '../../json/json-bytes.ts'
import { decodeKey, readKey } from '../base58.ts'

/** Where a record has what matters of it, quotes included; `to` is 0 for what it lacks. */
export type RecordMembers = {
  pubkeyFrom: number
  pubkeyTo: number
  pageKeyFrom: number
  pageKeyTo: number
}

const PUBKEY = new TextEncoder().encode('"pubkey"')
const PAGE_KEY = new TextEncoder().encode('"pageKey"')

/** One past the record at `from`, whose members are noted in `found`. */
export function recordEnd(bytes: Uint8Array, from: number, found: RecordMembers): number {
  found.pubkeyTo = 0
  found.pageKeyTo = 0
  if (bytes[from] !== OPEN_OBJECT) return MALFORMED
  let at = from
  do {
    const keyFrom = skipSpace(bytes, at + 1)
    const keyTo = keyEnd(bytes, keyFrom)
    if (keyTo < 0) return keyTo
    const valueFrom = valueStart(bytes, keyTo)
    if (valueFrom < 0) return valueFrom
    const valueTo = valueEnd(bytes, valueFrom)
    if (valueTo < 0) return valueTo

    if (isString(bytes, keyFrom, keyTo, PUBKEY)) {
      // Readers disagree on which of two members counts, so neither does here.
      if (found.pubkeyTo > 0) return MALFORMED
      found.pubkeyFrom = valueFrom
      found.pubkeyTo = valueTo
    } else if (isString(bytes, keyFrom, keyTo, PAGE_KEY)) {
      found.pageKeyFrom = valueFrom
      found.pageKeyTo = valueTo
    }
    at = skipSpace(bytes, valueTo)
  } while (bytes[at] === COMMA)
  if (at >= bytes.length) return INCOMPLETE
  return bytes[at] === CLOSE_OBJECT ? at + 1 : MALFORMED
}

export function pubkeyOf(bytes: Uint8Array, found: RecordMembers): Uint8Array | null {
  const { pubkeyFrom, pubkeyTo } = found
  if (pubkeyTo === 0 || bytes[pubkeyFrom] !== QUOTE) return null
  const key = readKey(bytes, pubkeyFrom + 1, pubkeyTo - 1)
  if (key !== null || !hasEscape(bytes, pubkeyFrom, pubkeyTo)) return key
  const text = parsed(bytes, pubkeyFrom, pubkeyTo)
  return typeof text === 'string' ? decodeKey(text) : null
}
