// Finds where values end in bytes of JSON that nobody has checked and that may not all be there
// yet. It checks structure, not every token: brackets pair, strings close, members are members.

/** More bytes are needed to tell where the value ends. */
export const INCOMPLETE = -1
/** No bytes to come can make this JSON. */
export const MALFORMED = -2

export const QUOTE = 34
export const COMMA = 44
const COLON = 58
export const OPEN_ARRAY = 91
export const CLOSE_ARRAY = 93
export const OPEN_OBJECT = 123
export const CLOSE_OBJECT = 125
export const BACKSLASH = 92

/** A node itself reads no JSON nested deeper than 128. */
const DEPTH_MAX = 256
/** `true`, `null`, or a number; a u64 has 20 digits and a double 24 characters. */
const SCALAR_BYTES_MAX = 64
/** Shorter strings are found faster here than by a call into native code. */
const NEAR_BYTES = 64

const closers = new Uint8Array(DEPTH_MAX)
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The first position from `from` on that holds no white space; the end when there is none. */
export function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from
  while (at < bytes.length && isSpace(bytes[at] as number)) at++
  return at
}

/** One past the string whose opening quote is at `from`. */
export function stringEnd(bytes: Uint8Array, from: number): number {
  let at = from + 1
  const nearEnd = Math.min(bytes.length, at + NEAR_BYTES)
  while (at < nearEnd) {
    const code = bytes[at] as number
    if (code === QUOTE) return at + 1
    at += code === BACKSLASH ? 2 : 1
  }
  for (;;) {
    const quoteAt = bytes.indexOf(QUOTE, at)
    if (quoteAt < 0) return INCOMPLETE
    // The bytes before `at` are read already, so the backslashes before it are all paired.
    let slashAt = quoteAt
    while (slashAt > at && bytes[slashAt - 1] === BACKSLASH) slashAt--
    at = quoteAt + 1
    if ((quoteAt - slashAt) % 2 === 0) return at
  }
}

/** One past the value at `from`, which is no white space. */
export function valueEnd(bytes: Uint8Array, from: number): number {
  const first = bytes[from]
  if (first === QUOTE) return stringEnd(bytes, from)
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return nestedEnd(bytes, from)
  return scalarEnd(bytes, from)
}

/** One past the name of the member at `from`. */
export function keyEnd(bytes: Uint8Array, from: number): number {
  if (from >= bytes.length) return INCOMPLETE
  return bytes[from] === QUOTE ? stringEnd(bytes, from) : MALFORMED
}

export function valueStart(bytes: Uint8Array, keyTo: number): number {
  const colonAt = skipSpace(bytes, keyTo)
  if (colonAt >= bytes.length) return INCOMPLETE
  if (bytes[colonAt] !== COLON) return MALFORMED
  const valueFrom = skipSpace(bytes, colonAt + 1)
  return valueFrom < bytes.length ? valueFrom : INCOMPLETE
}

function nestedEnd(bytes: Uint8Array, from: number): number {
  let depth = 0
  let at = from
  while (at < bytes.length) {
    const code = bytes[at] as number
    if (code === QUOTE) {
      at = stringEnd(bytes, at)
      if (at < 0) return INCOMPLETE
      continue
    }
    at++
    // Most of what stands between strings: digits, colons, commas, white space.
    if (code < OPEN_ARRAY) continue
    if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      if (depth === DEPTH_MAX) return MALFORMED
      // Both brackets close two characters after they open.
      closers[depth++] = code + 2
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      depth--
      if (closers[depth] !== code) return MALFORMED
      if (depth === 0) return at
    }
  }
  return INCOMPLETE
}

function scalarEnd(bytes: Uint8Array, from: number): number {
  let at = from
  while (at < bytes.length && !endsScalar(bytes[at] as number)) {
    if (at - from === SCALAR_BYTES_MAX) return MALFORMED
    at++
  }
  if (at === bytes.length) return INCOMPLETE
  return at > from && parsed(bytes, from, at) !== undefined ? at : MALFORMED
}

/** Parses these bytes; undefined when they are no JSON. */
export function parsed(bytes: Uint8Array, from: number, to: number): unknown {
  try {
    return JSON.parse(utf8.decode(bytes.subarray(from, to)))
  } catch {
    return undefined
  }
}

/** Whether the bytes are this string of ASCII, quotes included, in whatever way it is escaped. */
export function isString(bytes: Uint8Array, from: number, to: number, text: Uint8Array): boolean {
  if (to - from < text.length) return false
  if (to - from === text.length) {
    for (let at = 0; at < text.length; at++) {
      if (bytes[from + at] !== text[at]) return false
    }
    return true
  }
  if (!hasEscape(bytes, from, to)) return false
  return parsed(bytes, from, to) === parsed(text, 0, text.length)
}

export function hasEscape(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    if (bytes[at] === BACKSLASH) return true
  }
  return false
}

function endsScalar(code: number): boolean {
  return code === COMMA || code === CLOSE_ARRAY || code === CLOSE_OBJECT || isSpace(code)
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9
}
