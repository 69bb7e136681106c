import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
} from '../json/json-bytes.ts'

export type ResultCutter = ReturnType<typeof openCutter>

/** An envelope's closing part is a few dozen bytes; more is something else. */
const TAIL_BYTES_MAX = 4096

const latin1 = new TextDecoder('latin1')

/**
 * Finds the result or the error in the beginning of an answer; null when there is neither.
 * `begin` must hold the envelope up to `"result":` or `"error":`; `first` has the bytes of it
 * that belong to the value.
 */
export function cutReply(begin: Uint8Array, id: number) {
  const start = memberStart(latin1.decode(begin), id)
  if (start === null) return null
  const { member, at, idSeen } = start
  const cutter = openCutter(id, idSeen, member === 'error')
  return { member, cutter, first: cutter.feed(begin.subarray(at)) }
}

/** A node may name both, the one that it does not mean as null. */
const ENVELOPE_MEMBER =
  /\s*"(?:(jsonrpc|id)"\s*:\s*("[^"\\]*"|-?\d+|null)|(?:result|error)"\s*:\s*null)\s*,/y
const REPLY_MEMBER = /\s*"(?:(result)"\s*:\s*|error"\s*:\s*(?=\{))/y

type Start = { member: 'result' | 'error'; at: number; idSeen: boolean }

function memberStart(text: string, id: number): Start | null {
  let at = /^\s*\{/.exec(text)?.[0].length ?? -1
  if (at < 0) return null
  let idSeen = false
  let idIsNull = false
  for (;;) {
    ENVELOPE_MEMBER.lastIndex = at
    const member = ENVELOPE_MEMBER.exec(text)
    if (!member) break
    if (member[1] === 'id') {
      idIsNull = member[2] === 'null'
      if (!idIsNull && member[2] !== String(id) && member[2] !== `"${id}"`) return null
      idSeen = true
    }
    at = ENVELOPE_MEMBER.lastIndex
  }
  REPLY_MEMBER.lastIndex = at
  const found = REPLY_MEMBER.exec(text)
  if (!found) return null
  const member = found[1] === undefined ? 'error' : 'result'
  // A node that could not read our id answers with an error, under null.
  if (idIsNull && member === 'result') return null
  return { member, at: REPLY_MEMBER.lastIndex, idSeen }
}

/**
 * Cuts the value of `result` or `error` out of an answer too big to hold, chunk by chunk,
 * and knows at the end whether the answer was whole. It checks structure, not
 * every token: brackets balance, strings close, and what follows is our envelope.
 */
function openCutter(id: number, idSeen: boolean, isError: boolean) {
  let depth = 0
  let inString = false
  let escaped = false
  let ended = false
  let tail = ''
  /** The place of the chunk's next backslash. */
  let slashAt = -1

  const keepTail = (chunk: Uint8Array) => {
    if (tail.length < TAIL_BYTES_MAX) tail += latin1.decode(chunk)
  }

  /** One past the end of the string that `from` is in; -1 when it goes on in the next chunk. */
  const endOfString = (chunk: Uint8Array, from: number): number => {
    let at = from
    if (escaped) {
      escaped = false
      at++
    }
    // Searched natively: strings are most of a big answer, and nearly none holds an escape.
    for (;;) {
      if (slashAt < at) slashAt = indexOrEnd(chunk, BACKSLASH, at)
      const quoteAt = chunk.indexOf(QUOTE, at)
      if (quoteAt >= 0 && quoteAt < slashAt) return quoteAt + 1
      if (slashAt >= chunk.length) return -1
      at = slashAt + 2
      if (at > chunk.length) {
        escaped = true
        return -1
      }
    }
  }

  /** One past the end of the value; -1 when it goes on in the next chunk. */
  const endOfValue = (chunk: Uint8Array): number => {
    let at = 0
    while (at < chunk.length) {
      if (inString) {
        at = endOfString(chunk, at)
        if (at < 0) return -1
        inString = false
        if (depth === 0) return at
        continue
      }
      const code = chunk[at] as number
      at++
      if (code === QUOTE) inString = true
      else if (code === OPEN_ARRAY || code === OPEN_OBJECT) depth++
      else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) {
        depth--
        if (depth <= 0) return at
      }
    }
    return -1
  }

  return {
    /** The bytes of this chunk that belong to the value. */
    feed(chunk: Uint8Array): Uint8Array | null {
      if (ended) {
        keepTail(chunk)
        return null
      }
      slashAt = -1
      const end = endOfValue(chunk)
      if (end < 0) return chunk
      ended = true
      keepTail(chunk.subarray(end))
      return chunk.subarray(0, end)
    },
    whole: () => ended && depth === 0 && tailIsWhole(tail, id, idSeen, isError),
  }
}

function indexOrEnd(chunk: Uint8Array, byte: number, from: number): number {
  const at = chunk.indexOf(byte, from)
  return at < 0 ? chunk.length : at
}

function tailIsWhole(tail: string, id: number, idSeen: boolean, isError: boolean): boolean {
  if (tail.length >= TAIL_BYTES_MAX) return false
  try {
    const envelope = JSON.parse(`{"cut":0${tail}`) as { id?: unknown }
    if (idSeen || envelope.id === id || envelope.id === String(id)) return true
    return isError && envelope.id === null
  } catch {
    return false
  }
}
