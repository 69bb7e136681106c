import { describe, expect, test } from 'bun:test'
import { forecastMonth, type MonthSoFar } from './forecast.ts'
import { wholeShare } from './whole-share.ts'

const DAY_MS = 24 * 3_600_000
const NOVEMBER = Date.parse('2026-11-01T00:00:00Z')

function monthOf(more: Partial<MonthSoFar> = {}): MonthSoFar {
  const nowMs = NOVEMBER + 15 * DAY_MS
  return {
    nowMs,
    monthStartMs: NOVEMBER,
    monthEndMs: NOVEMBER + 30 * DAY_MS,
    monthCentiCu: 1500,
    paceCentiCu: 700,
    paceFromMs: nowMs - 7 * DAY_MS,
    limitCu: 20,
    ...more,
  }
}

describe('the forecast of a month', () => {
  test('goes on at the pace of the last days', () => {
    // 100 a day, and 15 days are left.
    expect(forecastMonth(monthOf())?.centiCu).toBe(3000)
  })

  test('is not made before the third day', () => {
    const nowMs = NOVEMBER + 2 * DAY_MS
    expect(forecastMonth(monthOf({ nowMs: nowMs - 1 }))).toBeNull()
    expect(forecastMonth(monthOf({ nowMs, paceFromMs: NOVEMBER }))).not.toBeNull()
  })

  test('says when the limit is reached, to the millisecond', () => {
    const { nowMs } = monthOf()
    expect(forecastMonth(monthOf())?.limitReachedAtMs).toBe(nowMs + 5 * DAY_MS)
  })

  test.each([
    ['there is none', { limitCu: null }],
    ['it lasts', { limitCu: 31 }],
    ['it is used up already', { limitCu: 15 }],
    ['nothing is used any more', { paceCentiCu: 0 }],
  ])('does not when %s', (_why, more) => {
    expect(forecastMonth(monthOf(more))?.limitReachedAtMs).toBeNull()
  })

  test('takes a team that is a minute old as if it had been a day', () => {
    const { nowMs } = monthOf()
    const forecast = forecastMonth(monthOf({ paceFromMs: nowMs - 60_000, paceCentiCu: 10 }))
    expect(forecast?.centiCu).toBe(1500 + 150)
  })

  test('is exact where a double would not be', () => {
    const paceCentiCu = 2 ** 52 + 1
    const forecast = forecastMonth(monthOf({ monthCentiCu: 0, paceCentiCu, limitCu: null }))
    expect(forecast?.centiCu).toBe(Number.MAX_SAFE_INTEGER)
    expect(wholeShare(2 ** 52 + 1, 3, 3)).toBe(2 ** 52 + 1)
    expect(wholeShare(7, 3, 2)).toBe(10)
  })
})
