import type { AccountFilter } from '../account.ts'

export const TOKEN_ACCOUNT_BYTES = 165
const TOKEN_MULTISIG_BYTES = 355

const STATE_OFFSET = 108
/** Behind the account's own fields, where extensions follow, stands what kind it is. */
export const ACCOUNT_TYPE_OFFSET = 165
export const ACCOUNT_TYPE_ACCOUNT = 2

/** True when data fulfils every filter; hot in the index, so no allocation here. */
export function matchesFilters(filters: readonly AccountFilter[], data: Uint8Array): boolean {
  for (let at = 0; at < filters.length; at++) {
    const filter = filters[at] as AccountFilter
    if (filter.kind === 'memcmp') {
      if (!matchesAt(data, filter.offset, filter.bytes)) return false
    } else if (filter.kind === 'dataSize') {
      if (data.length !== filter.bytes) return false
    } else if (!isTokenAccount(data)) {
      return false
    }
  }
  return true
}

/** True for the data of an initialised token account, with or without extensions. */
export function isTokenAccount(data: Uint8Array): boolean {
  if (data.length < TOKEN_ACCOUNT_BYTES || data[STATE_OFFSET] === 0) return false
  if (data.length === TOKEN_ACCOUNT_BYTES) return true
  return data.length !== TOKEN_MULTISIG_BYTES && data[ACCOUNT_TYPE_OFFSET] === ACCOUNT_TYPE_ACCOUNT
}

/** Nothing to compare is found everywhere up to the very end of the data, as on a node. */
function matchesAt(data: Uint8Array, offset: number, needle: Uint8Array): boolean {
  if (offset + needle.length > data.length) return false
  for (let at = 0; at < needle.length; at++) {
    if (data[offset + at] !== needle[at]) return false
  }
  return true
}
