/**
 * `value` × `times` ÷ `by`, rounded down, of whole numbers from 0 on: products of bytes, prices
 * and milliseconds have more digits than a double holds.
 */
export function wholeShare(value: number, times: number, by: number): number {
  const exact = (BigInt(value) * BigInt(times)) / BigInt(by)
  return Number(exact > MAX ? MAX : exact)
}

const MAX = BigInt(Number.MAX_SAFE_INTEGER)
