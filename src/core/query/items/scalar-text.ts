// Scalars as JSON text. Hot path: the hex in a block was checked when the block was assembled,
// so nothing is escaped or checked twice here.

/** A double keeps every digit of 13 hex digits. */
const EXACT_CHARS_MAX = 15

const MINIMAL_QUANTITY = /^0x(?:[1-9a-f][0-9a-f]*|0)$/
const LEADING_ZEROS = /^0x0*/
const NOT_ASCII = /[^\0-\x7f]/

/** A quantity as a JSON number with all of its digits; null where there is none. */
export function longText(value: unknown): string | null {
  if (typeof value !== 'string') return null
  if (value.length <= EXACT_CHARS_MAX) return `${Number(value)}`
  return BigInt(value).toString()
}

/** A quantity as hex without leading zeros; null where there is none. */
export function bigIntText(value: unknown): string | null {
  if (typeof value !== 'string') return null
  if (MINIMAL_QUANTITY.test(value)) return `"${value}"`
  return `"0x${value.toLowerCase().replace(LEADING_ZEROS, '') || '0'}"`
}

/** Bytes of any length as the node spelled them, in lower case. */
export function bytesText(value: unknown): string | null {
  return typeof value === 'string' ? `"${value.toLowerCase()}"` : null
}

export function bytes32ListText(value: unknown): string | null {
  if (!Array.isArray(value)) return null
  return value.length === 0 ? '[]' : `["${value.join('","').toLowerCase()}"]`
}

/** Text of a node or a contract, which may hold anything. */
export function stringText(value: unknown): string | null {
  return typeof value === 'string' ? JSON.stringify(value) : null
}

export function hasNonAscii(text: string): boolean {
  return NOT_ASCII.test(text)
}
