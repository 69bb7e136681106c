/**
 * Finds where values begin and end in JSON text, so that what is only passed on
 * is never parsed and printed again: a u64 or a long id keeps all its digits.
 * Everything here trusts that `JSON.parse` has accepted the text before.
 */

const QUOTE = 34
const COMMA = 44
const BACKSLASH = 92
const OPEN_ARRAY = 91
const CLOSE_ARRAY = 93
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125
const COLON = 58

/** The raw text of each member of an object, the last one winning as in `JSON.parse`. */
export type RawMembers = Map<string, string>

/** True when arrays and objects nest deeper than `depthMax`; needs no valid JSON. */
export function nestsDeeperThan(text: string, depthMax: number): boolean {
  // Each level costs an opening and a closing character.
  if (text.length < depthMax * 2) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = stringEnd(text, at) - 1
      continue
    }
    if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      depth++
      if (depth > depthMax) return true
    } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) {
      depth--
    }
  }
  return false
}

export function rawMembers(text: string): RawMembers {
  const members: RawMembers = new Map()
  eachMember(text, (key, valueText) => members.set(key, valueText))
  return members
}

/** The names in the object that `text` begins with, one that stands there twice twice. */
export function memberNames(text: string): string[] {
  const names: string[] = []
  eachMember(text, (key) => names.push(key))
  return names
}

function eachMember(text: string, visit: (key: string, valueText: string) => void): void {
  let at = skipSpace(text, 0) + 1
  for (;;) {
    at = skipSpace(text, at)
    const code = text.charCodeAt(at)
    if (code === CLOSE_OBJECT || Number.isNaN(code)) return
    if (code === COMMA) {
      at++
      continue
    }
    const keyEnd = stringEnd(text, at)
    const rawKey = text.slice(at + 1, keyEnd - 1)
    const key = rawKey.includes('\\') ? (JSON.parse(`"${rawKey}"`) as string) : rawKey
    at = skipSpace(text, keyEnd)
    if (text.charCodeAt(at) === COLON) at++
    const valueStart = skipSpace(text, at)
    at = valueEnd(text, valueStart)
    visit(key, text.slice(valueStart, at))
  }
}

export function rawElements(text: string): string[] {
  const elements: string[] = []
  let at = skipSpace(text, 0) + 1
  for (;;) {
    at = skipSpace(text, at)
    const code = text.charCodeAt(at)
    if (code === CLOSE_ARRAY || Number.isNaN(code)) return elements
    if (code === COMMA) {
      at++
      continue
    }
    const end = valueEnd(text, at)
    elements.push(text.slice(at, end))
    at = end
  }
}

/** One past the last character of the value that starts at `start`. */
export function valueEnd(text: string, start: number): number {
  const first = text.charCodeAt(start)
  if (first === QUOTE) return stringEnd(text, start)
  if (first !== OPEN_ARRAY && first !== OPEN_OBJECT) return scalarEnd(text, start)
  let depth = 0
  let at = start
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = stringEnd(text, at)
      continue
    }
    at++
    if (code === OPEN_ARRAY || code === OPEN_OBJECT) depth++
    else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) {
      depth--
      if (depth === 0) return at
    }
  }
  return text.length
}

function stringEnd(text: string, start: number): number {
  let at = start + 1
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote < 0) return text.length
    let slashes = 0
    while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes++
    at = quote + 1
    if (slashes % 2 === 0) return at
  }
}

function scalarEnd(text: string, start: number): number {
  let at = start
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code <= 32 || code === COMMA || code === CLOSE_ARRAY || code === CLOSE_OBJECT) break
    at++
  }
  // A character that starts no value must not hold the scan in place.
  return at === start ? start + 1 : at
}

function skipSpace(text: string, start: number): number {
  let at = start
  while (at < text.length && text.charCodeAt(at) <= 32) at++
  return at
}
