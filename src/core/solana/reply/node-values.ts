import { rawMembers } from '../../json/json-scan.ts'
import type { SolanaError } from '../account.ts'
import { invalidParams, isSolanaError } from '../solana-error.ts'

/**
 * Reads JSON values as strictly as a node does, and refuses them in its words (those of serde,
 * the library nodes read JSON with). Values are the caller's own text: a u64 keeps its digits.
 */

const U64_MAX = 18_446_744_073_709_551_615n
const I64_MIN = -9_223_372_036_854_775_808n
/** As many as 2^64 and a sign take; longer ones are not worth the cost of reading them. */
const INTEGER_CHARS_MAX = 20

const INTEGER = /^-?\d+$/

/** A node repeats a misfit in full; ours need not carry a megabyte back. */
const SHOWN_CHARS_MAX = 256

/** A value that is a name alone, or a name with a value: `"a"` or `{"a": …}`. */
export type Tag = { name: string; valueText: string | null }

/** The node's refusal; `field` stands before it where the node has no words of its own. */
export function refusal(words: string, field?: string): SolanaError {
  return invalidParams(`Invalid params: ${field === undefined ? '' : `${field}: `}${words}.`)
}

export function wrongType(text: string, expected: string, field?: string): SolanaError {
  return refusal(`invalid type: ${described(text)}, expected ${expected}`, field)
}

export function wrongValue(text: string, expected: string, field?: string): SolanaError {
  return refusal(`invalid value: ${described(text)}, expected ${expected}`, field)
}

export function missingField(name: string): SolanaError {
  return refusal(`missing field \`${name}\``)
}

export function unknownVariant(
  name: string,
  known: readonly string[],
  field?: string,
): SolanaError {
  const expected = known.map((one) => `\`${one}\``).join(', ')
  return refusal(`unknown variant \`${shown(name)}\`, expected one of ${expected}`, field)
}

export function isMap(text: string): boolean {
  return text.startsWith('{')
}

export function isSequence(text: string): boolean {
  return text.startsWith('[')
}

export function readUnsigned(text: string, expected: string, field?: string): bigint | SolanaError {
  const value = integerOf(text)
  if (value === null) return wrongType(text, expected, field)
  return value < 0n ? wrongValue(text, expected, field) : value
}

export function readString(text: string, field?: string): string | SolanaError {
  if (!text.startsWith('"')) return wrongType(text, 'a string', field)
  return JSON.parse(text) as string
}

export function readBoolean(text: string): boolean | SolanaError {
  if (text === 'true' || text === 'false') return text === 'true'
  return wrongType(text, 'a boolean')
}

export function readTag(text: string): Tag | SolanaError {
  if (text.startsWith('"')) return { name: JSON.parse(text) as string, valueText: null }
  if (!isMap(text)) return wrongType(text, 'string or map')
  const members = rawMembers(text)
  const [only] = members
  if (!only || members.size > 1) return wrongValue(text, 'map with a single key')
  return { name: only[0], valueText: only[1] }
}

/** One of a set of names; a node also takes `{"name": null}` for it. */
export function readName<Name extends string>(
  text: string,
  allowed: readonly Name[],
): Name | SolanaError {
  const tag = readTag(text)
  if (isSolanaError(tag)) return tag
  const name = allowed.find((one) => one === tag.name)
  if (name === undefined) return unknownVariant(tag.name, allowed)
  if (tag.valueText === null || tag.valueText === 'null') return name
  return wrongType(tag.valueText, 'unit')
}

/** The largest number that has its exact neighbours stands for all beyond: no data is so long. */
export function clipped(value: bigint): number {
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value)
}

/** Text or a character between quotes as Rust shows it. */
export function quoted(text: string, quote: '"' | "'"): string {
  const escaped = text.replace(/["'\\]|\p{C}|[^\P{Z} ]/gu, (char) => {
    if (char === quote || char === '\\') return `\\${char}`
    if (char === '"' || char === "'") return char
    const short = SHORT_ESCAPES[char]
    return short ?? `\\u{${char.codePointAt(0)?.toString(16)}}`
  })
  return `${quote}${escaped}${quote}`
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\0': '\\0',
}

/** Names the value that stands there instead of the expected one. */
function described(text: string): string {
  if (text.startsWith('"')) return `string ${quoted(shown(JSON.parse(text) as string), '"')}`
  if (isMap(text)) return 'map'
  if (isSequence(text)) return 'sequence'
  if (text === 'null') return 'null'
  if (text === 'true' || text === 'false') return `boolean \`${text}\``
  const integer = integerOf(text)
  return integer === null
    ? `floating point \`${floatText(Number(text))}\``
    : `integer \`${integer}\``
}

/** The integer a node sees: `1e3`, `-0` and all beyond 64 bits are floating point to it. */
function integerOf(text: string): bigint | null {
  if (text.length > INTEGER_CHARS_MAX || text === '-0' || !INTEGER.test(text)) return null
  const value = BigInt(text)
  return value < I64_MIN || value > U64_MAX ? null : value
}

/** Shortest digits that read back the same, plain up to 16 places, as a node writes them. */
function floatText(value: number): string {
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf'
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0'
  const [mantissa = '', exponent = ''] = value.toExponential().split('e')
  const places = Number(exponent) + 1
  if (places <= -5 || places > 16) return `${mantissa}e${Number(exponent)}`
  // Between these bounds JavaScript writes no exponent.
  const plain = String(value)
  return plain.includes('.') ? plain : `${plain}.0`
}

function shown(text: string): string {
  return text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text
}
