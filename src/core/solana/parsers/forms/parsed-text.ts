import { nestsDeeperThan } from '../../../json/json-scan.ts'

/** Part of JSON that the runtime has and the compiler's library does not know yet. */
const exactJson = JSON as unknown as {
  parse(
    text: string,
    revive: (key: string, value: unknown, context: { source: string }) => unknown,
  ): unknown
}

/** A node gives up on a document that nests deeper. */
const DEPTH_MAX = 127

const U64_MAX = 2n ** 64n - 1n
const I64_MIN = -(2n ** 63n)

/** A node writes numbers without an exponent from 1e-5 up to, not including, 1e16. */
const PLAIN_MIN = 1e-5
const PLAIN_BELOW = 1e16

const utf8 = new TextEncoder()

export function parsedText(type: string, infoText: string): string {
  return `{"info":${infoText},"type":"${type}"}`
}

/** The member `parsed` of a state that consists of its kind alone. */
export function bareParsedText(type: string): string {
  return `{"type":"${type}"}`
}

/** A double in the digits of a node: `1.0`, `1e+16`, `1.5e-6`; what is no number is null. */
export function floatText(value: number): string {
  if (!Number.isFinite(value)) return 'null'
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0'

  const size = Math.abs(value)
  if (size < PLAIN_MIN || size >= PLAIN_BELOW) return value.toExponential()
  return Number.isInteger(value) ? `${value}.0` : `${value}`
}

/**
 * Writes a JSON document the way a node does that has read it: members in the order of their
 * bytes, no spaces, whole numbers of 64 bits with all their digits. Null when a node cannot
 * read it.
 */
export function rewrittenJson(text: string): string | null {
  if (nestsDeeperThan(text, DEPTH_MAX)) return null

  let value: unknown
  try {
    value = exactJson.parse(text, (_name, member, { source }) =>
      typeof member === 'number' ? wholeNumber(source, member) : member,
    )
  } catch {
    return null
  }
  return valueText(value)
}

/** A bigint for what a node holds as a whole number; everything else is a double to it, too. */
function wholeNumber(source: string, double: number): number | bigint {
  if (!/^-?\d{1,20}$/.test(source) || source === '-0') return double
  const whole = BigInt(source)
  return whole >= I64_MIN && whole <= U64_MAX ? whole : double
}

function valueText(value: unknown): string | null {
  if (typeof value === 'bigint') return `${value}`
  if (typeof value === 'number') return Number.isFinite(value) ? floatText(value) : null
  if (typeof value === 'string') return stringText(value)
  if (Array.isArray(value)) return joined(value.map(valueText), '[', ']')
  if (typeof value === 'object' && value !== null) return objectText(value)
  return `${value}`
}

/** Half of a surrogate pair can be written as an escape but stands for no character. */
function stringText(text: string): string | null {
  return text.isWellFormed() ? JSON.stringify(text) : null
}

function objectText(value: object): string | null {
  const members = Object.entries(value)
    .sort(([a], [b]) => byUtf8(a, b))
    .map(([name, member]) => {
      const text = valueText(member)
      const nameText = stringText(name)
      return text === null || nameText === null ? null : `${nameText}:${text}`
    })
  return joined(members, '{', '}')
}

function joined(parts: (string | null)[], open: string, close: string): string | null {
  return parts.includes(null) ? null : `${open}${parts.join()}${close}`
}

/** This language compares UTF-16 units, a node compares bytes: they differ above U+D7FF. */
function byUtf8(a: string, b: string): number {
  return Buffer.compare(utf8.encode(a), utf8.encode(b))
}
