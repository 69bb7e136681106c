import { quantityToNumber } from '../../hex.ts'
import type { RawObject } from '../block.ts'
import { rlpBytes, rlpList } from './rlp.ts'

/** A member that is missing or not of its form: what it belongs to cannot be encoded. */
export class UnreadableMember extends Error {
  readonly member: string

  constructor(member: string) {
    super(`the member ${member} is not of its form`)
    this.member = member
  }
}

const LEADING_ZEROS = /^0+/
const ZERO = 48

export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null
}

/**
 * The text behind `0x`. Hot path: that it is made of digits is found when it becomes bytes or a
 * number, which throws a SyntaxError where it is not.
 */
function digitsOf(value: unknown, member: string): string {
  if (typeof value !== 'string' || !value.startsWith('0x')) throw new UnreadableMember(member)
  return value.slice(2)
}

export function bytesDigits(value: unknown, member: string): string {
  const digits = digitsOf(value, member)
  if (digits.length % 2 !== 0) throw new UnreadableMember(member)
  return digits
}

export function fixedDigits(value: unknown, member: string, byteCount: number): string {
  const digits = digitsOf(value, member)
  if (digits.length !== byteCount * 2) throw new UnreadableMember(member)
  return digits
}

/** A quantity as the digits of its bytes, without zeros before them. */
export function quantityDigits(value: unknown, member: string): string {
  let digits = digitsOf(value, member)
  if (digits.charCodeAt(0) === ZERO) digits = digits.replace(LEADING_ZEROS, '')
  if (digits.length > 64) throw new UnreadableMember(member)
  return digits.length % 2 === 0 ? digits : `0${digits}`
}

export function quantity(raw: RawObject, member: string): bigint {
  const digits = quantityDigits(raw[member], member)
  return digits === '' ? 0n : BigInt(`0x${digits}`)
}

/** A count, a time or an amount of gas. Hot path: these fit a double, which is quicker. */
export function smallQuantity(raw: RawObject, member: string): number {
  const value = quantityToNumber(raw[member])
  if (value === null) throw new UnreadableMember(member)
  return value
}

export const rlpQuantity = (value: unknown, member: string): string =>
  rlpBytes(quantityDigits(value, member))

export function rlpListOf(
  value: unknown,
  member: string,
  encode: (one: RawObject & string) => string,
): string {
  if (!Array.isArray(value)) throw new UnreadableMember(member)
  let members = ''
  for (const one of value) {
    if (typeof one !== 'object' && typeof one !== 'string') throw new UnreadableMember(member)
    if (one === null) throw new UnreadableMember(member)
    members += encode(one as RawObject & string)
  }
  return rlpList(members)
}
