import { CENTI_PER_CU } from './plan.ts'
import { wholeShare } from './whole-share.ts'

export type MonthSoFar = {
  nowMs: number
  monthStartMs: number
  monthEndMs: number
  monthCentiCu: number
  /** Used by it since `paceFromMs`, up to now. */
  paceCentiCu: number
  paceFromMs: number
  /** Null is unlimited. */
  limitCu: number | null
}

const DAY_MS = 24 * 3_600_000

/** A single day may be a holiday: before two are over a forecast would be a guess. */
const DAYS_MIN = 2

/** The use of a whole month when the rest goes on at a pace; null until its third day. */
export function forecastMonth(month: MonthSoFar) {
  const { nowMs, monthStartMs, monthEndMs, monthCentiCu, paceCentiCu, paceFromMs } = month
  if (nowMs < monthStartMs + DAYS_MIN * DAY_MS) return null
  const paceMs = Math.max(DAY_MS, nowMs - paceFromMs)
  const restCentiCu = wholeShare(paceCentiCu, monthEndMs - nowMs, paceMs)
  const centiCu = monthCentiCu + restCentiCu
  return { centiCu, limitReachedAtMs: reachedAtMs(month, paceMs, centiCu) }
}

/** When the limit is reached at this pace; null when it is not, or was before. */
function reachedAtMs(month: MonthSoFar, paceMs: number, forecastCentiCu: number): number | null {
  const { nowMs, monthCentiCu, paceCentiCu, limitCu } = month
  if (limitCu === null) return null
  const leftCentiCu = limitCu * CENTI_PER_CU - monthCentiCu
  if (leftCentiCu <= 0 || forecastCentiCu < limitCu * CENTI_PER_CU) return null
  return nowMs + wholeShare(leftCentiCu, paceMs, paceCentiCu)
}
