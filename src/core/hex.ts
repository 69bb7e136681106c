const QUANTITY = /^0x[0-9a-fA-F]{1,13}$/

/** A `0x` quantity as a number; null when it is none or does not fit 52 bits. */
export function quantityToNumber(value: unknown): number | null {
  if (typeof value !== 'string' || !QUANTITY.test(value)) return null
  return Number.parseInt(value, 16)
}

export function numberToQuantity(value: number): string {
  return `0x${value.toString(16)}`
}

export function isHash32(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-fA-F]{64}$/.test(value)
}
