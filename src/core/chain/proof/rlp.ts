/** RLP over hex digits without `0x`: texts are joined at no cost and become bytes once. */

const SHORT_BYTES_MAX = 55
const BYTES_OFFSET = 0x80
const LIST_OFFSET = 0xc0

export function rlpBytes(digits: string): string {
  const isSelf = digits.length === 2 && digits.charCodeAt(0) < 56
  return isSelf ? digits : prefix(digits.length / 2, BYTES_OFFSET) + digits
}

/** The digits of a list, given those of its members one after the other. */
export function rlpList(members: string): string {
  return prefix(members.length / 2, LIST_OFFSET) + members
}

/** A whole number as the digits of its bytes, of which it has none too many. */
export function numberDigits(value: number): string {
  if (value === 0) return ''
  const digits = value.toString(16)
  return digits.length % 2 === 0 ? digits : `0${digits}`
}

function prefix(byteCount: number, offset: number): string {
  if (byteCount <= SHORT_BYTES_MAX) return (offset + byteCount).toString(16)
  const length = numberDigits(byteCount)
  return (offset + SHORT_BYTES_MAX + length.length / 2).toString(16) + length
}
