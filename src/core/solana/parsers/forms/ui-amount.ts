import type { InterestBearing, MintFacts, ScaledAmount } from '../parse-helps.ts'
import { floatText } from './parsed-text.ts'
import { fixedDouble, pointed } from './plain-double.ts'

/** 10^20 does not fit in 64 bits, and from there on a node gives no `uiAmount`. */
const DECIMALS_OF_DOUBLE_END = 20
const POWERS_OF_TEN = Array.from({ length: DECIMALS_OF_DOUBLE_END }, (_, power) =>
  Number(10n ** BigInt(power)),
)

const SECONDS_PER_YEAR = 60 * 60 * 24 * 365.24
const BASIS_POINTS_IN_ONE = 10_000

const ZERO_CHAR = 48
const POINT_CHAR = 46

const I64_MIN = -(2n ** 63n)
const I64_MAX = 2n ** 63n - 1n

/** JSON text of an amount as the node shows it, by the clock where the mint asks for it. */
export function uiAmount(amount: bigint, mint: MintFacts, unixTimestamp: bigint): string {
  const { decimals, interest, scaled } = mint
  if (interest !== null) {
    const growth = growthUntil(unixTimestamp, interest)
    return computed(amount, decimals, growth === null ? '' : grown(amount, decimals, growth))
  }
  if (scaled !== null) {
    const multiplier = multiplierAt(unixTimestamp, scaled)
    return computed(amount, decimals, multiplied(amount, decimals, multiplier))
  }

  const divisor = POWERS_OF_TEN[decimals]
  const double = divisor === undefined ? 'null' : floatText(Number(amount) / divisor)
  return amountText(amount, decimals, double, trimmed(pointed(`${amount}`, decimals), decimals))
}

/**
 * Continuous compounding: at the average rate until the last change, then at today's. Null when
 * the times lie further apart than 64 bits can say.
 */
function growthUntil(unixTimestamp: bigint, interest: InterestBearing): number | null {
  const { initializedAtSeconds, updatedAtSeconds, averageRateBps, currentRateBps } = interest
  const before = growthOver(updatedAtSeconds - initializedAtSeconds, averageRateBps)
  const since = growthOver(unixTimestamp - updatedAtSeconds, currentRateBps)
  return before === null || since === null ? null : before * since
}

function growthOver(seconds: bigint, rateBps: number): number | null {
  if (seconds < I64_MIN || seconds > I64_MAX) return null
  const basisPointSeconds = Number(BigInt(rateBps) * seconds)
  return Math.exp(basisPointSeconds / SECONDS_PER_YEAR / BASIS_POINTS_IN_ONE)
}

function grown(amount: bigint, decimals: number, growth: number): string {
  const shown = Number(amount) * (growth / tenTo(decimals))
  return trimmed(fixedDouble(shown, decimals), decimals)
}

function multiplierAt(unixTimestamp: bigint, scaled: ScaledAmount): number {
  const isNew = unixTimestamp >= scaled.newMultiplierFromSeconds
  return isNew ? scaled.newMultiplier : scaled.multiplier
}

/** Cut to whole units before the point is placed: 0.9999 of two decimals is shown as 0.99. */
function multiplied(amount: bigint, decimals: number, multiplier: number): string {
  const shown = Math.trunc(Number(amount) * multiplier) / tenTo(decimals)
  return trimmed(fixedDouble(shown, decimals), decimals)
}

/** The number beside a computed text is that text read back, so the two always agree. */
function computed(amount: bigint, decimals: number, text: string): string {
  const double = text === '' ? 'null' : floatText(Number(text))
  return amountText(amount, decimals, double, text)
}

function amountText(amount: bigint, decimals: number, double: string, text: string): string {
  const exact = `"amount":"${amount}","decimals":${decimals}`
  return `{${exact},"uiAmount":${double},"uiAmountString":"${text}"}`
}

/**
 * By repeated squaring, as the token library does it: beyond 10^22 the way of computing shows in
 * the last digit.
 */
function tenTo(power: number): number {
  let result = 1
  let square = 10
  for (let left = power; left > 0; left >>= 1) {
    if ((left & 1) === 1) result *= square
    square *= square
  }
  return result
}

/** Without zeros at the end and without a bare point; a text without decimals stays whole. */
function trimmed(text: string, decimals: number): string {
  if (decimals === 0) return text
  let end = text.length
  while (text.charCodeAt(end - 1) === ZERO_CHAR) end--
  if (text.charCodeAt(end - 1) === POINT_CHAR) end--
  return text.slice(0, end)
}
