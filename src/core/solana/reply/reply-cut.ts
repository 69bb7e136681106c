import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  INCOMPLETE,
  keyEnd,
  MALFORMED,
  OPEN_ARRAY,
  OPEN_OBJECT,
  parsed,
  skipSpace,
  valueEnd,
  valueStart,
} from '../../json/json-bytes.ts'
import { rawMembers } from '../../json/json-scan.ts'
import { isJsonObject } from '../../json/json-value.ts'
import { pubkeyOf, type RecordMembers, recordEnd } from './record-members.ts'

/**
 * Hears the parts of a reply as they are found. Nothing heard may be relied on before `end` says
 * that the reply was whole.
 */
export type RecordListener = {
  /**
   * Once for each result, before its records, unless the node writes the context behind them.
   * Nulls stand for what the node didn't say, as when it wasn't asked for context.
   */
  envelope(context: { slot: bigint | null; apiVersion: string | null }): void
  /** The record as the node wrote it, a view that holds until this returns; the key is new. */
  record(bytes: Uint8Array, pubkey: Uint8Array): void
  /** The node's refusal, when it sent one instead of a result; `text` is all of its JSON. */
  error(error: { code: number; message: string; text: string }): void
}

type Place = 'start' | 'reply' | 'result' | 'records' | 'over' | 'broken'

export type ReplyCut = {
  listener: RecordListener
  place: Place
  /** The next thing in the array or object: its first item or its end, an item, or the comma. */
  expects: 'first' | 'item' | 'after'
  /** True when the records stand in the `value` of a result with a context. */
  isWrapped: boolean
  /** The members of the reply and of its result that may occur once. */
  seen: Set<string>
  error: { code: number; message: string; text: string } | null
  pageKey: string | null
  found: RecordMembers
}

const U64_MAX = 2n ** 64n - 1n
const DIGITS = /^\d{1,20}$/
const NO_CONTEXT = { slot: null, apiVersion: null }

const utf8 = new TextDecoder()

export function startCut(listener: RecordListener): ReplyCut {
  return {
    listener,
    place: 'start',
    expects: 'first',
    isWrapped: false,
    seen: new Set(),
    error: null,
    pageKey: null,
    found: { pubkeyFrom: 0, pubkeyTo: 0, pageKeyFrom: 0, pageKeyTo: 0 },
  }
}

/** Reads item by item as far as they are complete, and returns where the next one begins. */
export function readItems(cut: ReplyCut, bytes: Uint8Array): number {
  let at = 0
  while (cut.place !== 'broken') {
    at = skipSpace(bytes, at)
    if (at >= bytes.length) break
    const next = readItem(cut, bytes, at)
    if (next === INCOMPLETE) return at
    if (next === MALFORMED) cut.place = 'broken'
    else at = next
  }
  return bytes.length
}

/** One past the bracket, comma, member or record at `at`; nothing changes if it is incomplete. */
function readItem(cut: ReplyCut, bytes: Uint8Array, at: number): number {
  const code = bytes[at]
  if (cut.place === 'start') {
    if (code !== OPEN_OBJECT) return MALFORMED
    cut.place = 'reply'
    return at + 1
  }
  if (cut.place === 'over') return MALFORMED
  const isArray = cut.place === 'records'
  if (code === (isArray ? CLOSE_ARRAY : CLOSE_OBJECT) && cut.expects !== 'item') {
    return close(cut) ? at + 1 : MALFORMED
  }
  if (cut.expects === 'after') {
    if (code !== COMMA) return MALFORMED
    cut.expects = 'item'
    return at + 1
  }
  return isArray ? readRecord(cut, bytes, at) : readMember(cut, bytes, at)
}

function readRecord(cut: ReplyCut, bytes: Uint8Array, at: number): number {
  const end = recordEnd(bytes, at, cut.found)
  if (end < 0) return end
  const pubkey = pubkeyOf(bytes, cut.found)
  if (pubkey === null) return MALFORMED
  const { pageKeyFrom, pageKeyTo } = cut.found
  if (pageKeyTo > 0) notePageKey(cut, parsed(bytes, pageKeyFrom, pageKeyTo))
  cut.expects = 'after'
  cut.listener.record(bytes.subarray(at, end), pubkey)
  return end
}

/** Reads one member of the reply or of its result: as a whole, or up to the bracket it opens. */
function readMember(cut: ReplyCut, bytes: Uint8Array, at: number): number {
  const keyTo = keyEnd(bytes, at)
  if (keyTo < 0) return keyTo
  const valueFrom = valueStart(bytes, keyTo)
  if (valueFrom < 0) return valueFrom
  const key = parsed(bytes, at, keyTo)
  if (typeof key !== 'string') return MALFORMED
  const code = bytes[valueFrom]
  const name = `${cut.place}.${key}`
  if (name === 'reply.result' && (code === OPEN_ARRAY || code === OPEN_OBJECT)) {
    return openResult(cut, code === OPEN_OBJECT) ? valueFrom + 1 : MALFORMED
  }
  if (name === 'result.value' && code === OPEN_ARRAY) {
    return openRecords(cut) ? valueFrom + 1 : MALFORMED
  }

  const valueTo = valueEnd(bytes, valueFrom)
  if (valueTo < 0) return valueTo
  const value = parsed(bytes, valueFrom, valueTo)
  if (value === undefined) return MALFORMED
  cut.expects = 'after'
  const text = () => utf8.decode(bytes.subarray(valueFrom, valueTo))
  return noteMember(cut, name, value, text) ? valueTo : MALFORMED
}

function openResult(cut: ReplyCut, isWrapped: boolean): boolean {
  if (cut.error !== null || isRepeated(cut, 'reply.result')) return false
  cut.isWrapped = isWrapped
  if (!isWrapped) return openRecords(cut)
  cut.place = 'result'
  cut.expects = 'first'
  return true
}

function openRecords(cut: ReplyCut): boolean {
  if (isRepeated(cut, 'result.value')) return false
  if (!cut.isWrapped) cut.listener.envelope(NO_CONTEXT)
  cut.place = 'records'
  cut.expects = 'first'
  return true
}

/** Closes the array or object at hand; false when it lacks what it must have. */
function close(cut: ReplyCut): boolean {
  cut.expects = 'after'
  if (cut.place === 'records') {
    cut.place = cut.isWrapped ? 'result' : 'reply'
    return true
  }
  if (cut.place === 'result') {
    if (!cut.seen.has('result.context')) cut.listener.envelope(NO_CONTEXT)
    cut.place = 'reply'
    return hasRecords(cut)
  }
  if (cut.error === null && !hasRecords(cut)) return false
  if (cut.error !== null) cut.listener.error(cut.error)
  cut.place = 'over'
  return true
}

/** False when a member is one that makes the reply no answer. */
function noteMember(cut: ReplyCut, name: string, value: unknown, text: () => string): boolean {
  if (name === 'result.value') return false
  // A reply may have both members, if the one that doesn't count is null.
  if (name === 'reply.result') return value === null && !isRepeated(cut, name)
  if (name === 'reply.error') {
    return !isRepeated(cut, name) && (value === null || noteError(cut, value, text()))
  }
  if (name === 'result.context') {
    if (isRepeated(cut, name) || !isJsonObject(value)) return false
    noteContext(cut, value, text())
  }
  if (name === 'reply.pageKey' || name === 'result.pageKey') notePageKey(cut, value)
  return true
}

function noteError(cut: ReplyCut, error: unknown, text: string): boolean {
  if (hasRecords(cut) || !isJsonObject(error)) return false
  const { code, message } = error
  if (!Number.isSafeInteger(code) || typeof message !== 'string') return false
  cut.error = { code: code as number, message, text }
  return true
}

function noteContext(cut: ReplyCut, context: Record<string, unknown>, text: string): void {
  // From its text: a slot is a u64, which a double may not hold.
  const digits = rawMembers(text).get('slot') ?? ''
  const slot = DIGITS.test(digits) ? BigInt(digits) : null
  const apiVersion = typeof context.apiVersion === 'string' ? context.apiVersion : null
  cut.listener.envelope({ slot: slot !== null && slot <= U64_MAX ? slot : null, apiVersion })
}

function notePageKey(cut: ReplyCut, value: unknown): void {
  if (typeof value === 'string') cut.pageKey = value
}

function hasRecords({ seen }: ReplyCut): boolean {
  return seen.has('result.value')
}

/** Readers disagree on which of two members counts, so a reply with both is no answer. */
function isRepeated(cut: ReplyCut, name: string): boolean {
  if (cut.seen.has(name)) return true
  cut.seen.add(name)
  return false
}
