import {
  CLOSE_OBJECT,
  COMMA,
  isString,
  keyEnd,
  MALFORMED,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  skipSpace,
  valueEnd,
  valueStart,
} from './json-bytes.ts'

/** Names of members, as the JSON strings they are found by. */
export type MemberNames = readonly Uint8Array[]

/** The begin and the end of each name's value, two numbers a name; a missing one ends at 0. */
export type MemberPlaces = Int32Array

const utf8 = new TextEncoder()

export function memberNames(...names: readonly string[]): MemberNames {
  return names.map((name) => utf8.encode(JSON.stringify(name)))
}

export function noPlaces(names: MemberNames): MemberPlaces {
  return new Int32Array(names.length * 2)
}

/**
 * Finds members of the object at `from`, all of which must be there, and returns one past it.
 * Hot in the index, so nothing is allocated and scalars are only looked at by who wants them.
 */
export function findMembers(
  bytes: Uint8Array,
  from: number,
  names: MemberNames,
  places: MemberPlaces,
): number {
  places.fill(0)
  if (bytes[from] !== OPEN_OBJECT) return MALFORMED
  let at = skipSpace(bytes, from + 1)
  if (bytes[at] === CLOSE_OBJECT) return at + 1
  for (;;) {
    const keyTo = keyEnd(bytes, at)
    if (keyTo < 0) return MALFORMED
    const valueFrom = valueStart(bytes, keyTo)
    if (valueFrom < 0) return MALFORMED
    const valueTo = memberEnd(bytes, valueFrom)
    if (valueTo < 0 || !note(bytes, at, keyTo, names, places, valueFrom, valueTo)) return MALFORMED
    at = skipSpace(bytes, valueTo)
    if (bytes[at] === CLOSE_OBJECT) return at + 1
    if (bytes[at] !== COMMA) return MALFORMED
    at = skipSpace(bytes, at + 1)
  }
}

/** False for a name that was there before: readers disagree on which of the two counts. */
function note(
  bytes: Uint8Array,
  keyFrom: number,
  keyTo: number,
  names: MemberNames,
  places: MemberPlaces,
  valueFrom: number,
  valueTo: number,
): boolean {
  for (let index = 0; index < names.length; index++) {
    if (!isString(bytes, keyFrom, keyTo, names[index] as Uint8Array)) continue
    if (places[2 * index + 1] !== 0) return false
    places[2 * index] = valueFrom
    places[2 * index + 1] = valueTo
    return true
  }
  return true
}

function memberEnd(bytes: Uint8Array, from: number): number {
  const first = bytes[from]
  if (first === QUOTE || first === OPEN_OBJECT || first === OPEN_ARRAY) return valueEnd(bytes, from)
  let at = from
  while (at < bytes.length && !endsScalar(bytes[at] as number)) at++
  return at > from && at < bytes.length ? at : MALFORMED
}

function endsScalar(code: number): boolean {
  return code === COMMA || code === CLOSE_OBJECT || code <= 32
}
