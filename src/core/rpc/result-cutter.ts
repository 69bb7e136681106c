/**
 * Cuts the value of `result` out of an answer too big to hold, chunk by chunk,
 * and knows at the end whether the answer was whole. It checks structure, not
 * every token: brackets balance, strings close, and what follows is our envelope.
 */
export type ResultCutter = {
  /** The bytes of this chunk that belong to the result. */
  feed(chunk: Uint8Array): Uint8Array | null
  /** True when the answer ended where it should. */
  whole(): boolean
}

const QUOTE = 34
const BACKSLASH = 92
const OPEN_ARRAY = 91
const CLOSE_ARRAY = 93
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125

/** An envelope's closing part is a few dozen bytes; more is something else. */
const TAIL_BYTES_MAX = 4096

const latin1 = new TextDecoder('latin1')

/**
 * Finds the result in the beginning of an answer; null when there is none, such
 * as for an error object. `begin` must hold the envelope up to `"result":`.
 */
export function cutResult(
  begin: Uint8Array,
  id: number,
): { cutter: ResultCutter; first: Uint8Array | null } | null {
  const start = resultStart(latin1.decode(begin), id)
  if (start === null) return null
  const cutter = openCutter(id, start.idSeen)
  return { cutter, first: cutter.feed(begin.subarray(start.at)) }
}

const ENVELOPE_MEMBER = /\s*"(jsonrpc|id)"\s*:\s*("[^"\\]*"|-?\d+|null)\s*,/y
const RESULT_MEMBER = /\s*"result"\s*:\s*/y

function resultStart(text: string, id: number): { at: number; idSeen: boolean } | null {
  let at = /^\s*\{/.exec(text)?.[0].length ?? -1
  if (at < 0) return null
  let idSeen = false
  for (;;) {
    RESULT_MEMBER.lastIndex = at
    const result = RESULT_MEMBER.exec(text)
    if (result) return { at: RESULT_MEMBER.lastIndex, idSeen }
    ENVELOPE_MEMBER.lastIndex = at
    const member = ENVELOPE_MEMBER.exec(text)
    if (!member) return null
    if (member[1] === 'id') {
      if (member[2] !== String(id) && member[2] !== `"${id}"`) return null
      idSeen = true
    }
    at = ENVELOPE_MEMBER.lastIndex
  }
}

function openCutter(id: number, idSeen: boolean): ResultCutter {
  let depth = 0
  let inString = false
  let escaped = false
  let ended = false
  let tail = ''
  /** Where the chunk at hand has its next backslash. */
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
    feed(chunk) {
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
    whole: () => ended && depth === 0 && tailIsWhole(tail, id, idSeen),
  }
}

function indexOrEnd(chunk: Uint8Array, byte: number, from: number): number {
  const at = chunk.indexOf(byte, from)
  return at < 0 ? chunk.length : at
}

function tailIsWhole(tail: string, id: number, idSeen: boolean): boolean {
  if (tail.length >= TAIL_BYTES_MAX) return false
  try {
    const envelope = JSON.parse(`{"result":0${tail}`) as { id?: unknown }
    return idSeen || envelope.id === id || envelope.id === String(id)
  } catch {
    return false
  }
}
