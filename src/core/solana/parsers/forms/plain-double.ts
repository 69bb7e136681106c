/*
 * Doubles as the node's own language, Rust, prints them. Its digits are the same shortest ones as
 * JavaScript's; where the point and the exponent stand and how ties are rounded differs.
 */

const FRACTION_BITS = 52n
const FRACTION_MASK = (1n << FRACTION_BITS) - 1n
const EXPONENT_MASK = 0x7ffn
/** The exponent of the significand's lowest bit: a bias of 1023, and 52 bits behind the point. */
const EXPONENT_BIAS = 1075n

const scratch = new DataView(new ArrayBuffer(8))

/** As plain text: all digits that are needed, never an exponent. */
export function plainDouble(value: number): string {
  if (!Number.isFinite(value)) return infiniteText(value)
  if (Object.is(value, -0)) return '-0'

  const text = `${value}`
  return text.includes('e') ? withoutExponent(text) : text
}

/** With exactly so many digits behind the point, rounded from the exact value, ties to even. */
export function fixedDouble(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return infiniteText(value)

  scratch.setFloat64(0, value)
  const bits = scratch.getBigUint64(0)
  const raw = (bits >> FRACTION_BITS) & EXPONENT_MASK
  const significand = (bits & FRACTION_MASK) | (raw === 0n ? 0n : 1n << FRACTION_BITS)
  const exponent = (raw === 0n ? 1n : raw) - EXPONENT_BIAS
  const scaled = significand * 10n ** BigInt(decimals)

  const units = exponent >= 0n ? scaled << exponent : shiftedToEven(scaled, -exponent)
  const sign = bits >> 63n === 1n ? '-' : ''
  return sign + pointed(units.toString(), decimals)
}

/** Puts the point before the last `decimals` digits. */
export function pointed(digits: string, decimals: number): string {
  if (decimals === 0) return digits
  const padded = digits.padStart(decimals + 1, '0')
  const pointAt = padded.length - decimals
  return `${padded.slice(0, pointAt)}.${padded.slice(pointAt)}`
}

function shiftedToEven(value: bigint, bits: bigint): bigint {
  const whole = value >> bits
  const rest = value - (whole << bits)
  const half = 1n << (bits - 1n)
  const isUp = rest > half || (rest === half && (whole & 1n) === 1n)
  return isUp ? whole + 1n : whole
}

function withoutExponent(text: string): string {
  const [head = '', power = '0'] = text.split('e')
  const sign = head.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = head.slice(sign.length).split('.')
  const digits = whole + fraction
  const pointAt = whole.length + Number(power)
  if (pointAt <= 0) return `${sign}0.${'0'.repeat(-pointAt)}${digits}`
  return sign + digits.padEnd(pointAt, '0')
}

function infiniteText(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  return value < 0 ? '-inf' : 'inf'
}
