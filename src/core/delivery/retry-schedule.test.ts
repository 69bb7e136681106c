import { describe, expect, test } from 'bun:test'
import { seededChance } from '../../../tests/support/basics/seeded-chance.ts'
import { retryAfterMs, retryAfterWaitMs } from './retry-after.ts'
import { isAccepted, scheduleRetry } from './retry-schedule.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DELAYS = [15 * SECOND, MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, 24 * HOUR]
const NOW = Date.UTC(2026, 10, 15, 12, 0, 0)
const FAILED = {
  attemptsMade: 1,
  delaysMs: DELAYS,
  fraction: 0.5,
  status: 500 as number | null,
  retryAfter: null as string | null,
  nowMs: NOW,
}

/** How long after now the next attempt is due. */
function waitMs(change: Partial<typeof FAILED>): number {
  const next = scheduleRetry({ ...FAILED, ...change })
  if (next.kind !== 'retry') throw new Error(`not retried: ${next.kind}`)
  return next.dueAtMs - NOW
}

describe('a delivery that was not accepted', () => {
  test('is tried again after each of the configured waits, then given up', () => {
    DELAYS.forEach((delayMs, at) => {
      expect(waitMs({ attemptsMade: at + 1 })).toBe(delayMs)
    })
    expect(scheduleRetry({ ...FAILED, attemptsMade: 7 })).toEqual({ kind: 'give_up' })
    expect(scheduleRetry({ ...FAILED, delaysMs: [] })).toEqual({ kind: 'give_up' })
  })

  test('waits up to a fifth less or more, as chance has it', () => {
    expect(waitMs({ fraction: 0 })).toBe(12 * SECOND)
    expect(waitMs({ fraction: 1 })).toBe(18 * SECOND)
    const chance = seededChance(1)
    for (let round = 0; round < 200; round++) {
      const attemptsMade = chance.between(1, 6)
      const delayMs = DELAYS[attemptsMade - 1]!
      const wait = waitMs({ attemptsMade, fraction: chance.fraction() })
      expect(wait).toBeGreaterThanOrEqual(delayMs * 0.8)
      expect(wait).toBeLessThanOrEqual(delayMs * 1.2)
      expect(Number.isInteger(wait)).toBe(true)
    }
  })

  test('is not tried again at a destination that is gone for good', () => {
    expect(scheduleRetry({ ...FAILED, status: 410 })).toEqual({ kind: 'gone' })
    expect(scheduleRetry({ ...FAILED, status: 410, attemptsMade: 7 }).kind).toBe('gone')
  })

  test.each([
    ['seconds, when they are later than the schedule', 429, '40', 40 * SECOND],
    ['on 503 as well', 503, '40', 40 * SECOND],
    ['with space around it', 503, ' 40 ', 40 * SECOND],
    ['but never earlier than the schedule', 429, '1', 15 * SECOND],
    ['nor in the past', 429, 'Sun, 15 Nov 2026 11:00:00 GMT', 15 * SECOND],
    ['up to an hour', 429, '86400', HOUR],
    ['however large the number', 429, '9'.repeat(64), HOUR],
    ['a date', 429, 'Sun, 15 Nov 2026 12:05:00 GMT', 5 * MINUTE],
    ['a date too far', 503, 'Tue, 15 Nov 2033 12:05:00 GMT', HOUR],
    ['not on other failures', 500, '40', 15 * SECOND],
    ['nonsense is no wish', 429, 'soon', 15 * SECOND],
    ['nor is less than nothing', 429, '-40', 15 * SECOND],
    ['nor a fraction', 429, '40.5', 15 * SECOND],
    ['nor an exponent', 429, '4e3', 15 * SECOND],
    ['nor hex', 429, '0xffff', 15 * SECOND],
    ['nor an empty text', 429, '', 15 * SECOND],
    ['nor anything endless', 429, '4'.repeat(100_000), 15 * SECOND],
    ['nor digits of other scripts', 429, '٤٠', 15 * SECOND],
  ])('is put off as Retry-After asks: %s', (_title, status, retryAfter, expectedMs) => {
    expect(waitMs({ status, retryAfter })).toBe(expectedMs)
  })

  test('keeps a wait of its own that is longer than the hour', () => {
    expect(waitMs({ attemptsMade: 5, status: 429, retryAfter: '86400' })).toBe(6 * HOUR)
  })
})

describe('a date in Retry-After', () => {
  const AT = Date.UTC(2026, 10, 5, 8, 49, 37)

  test.each([
    ['Thu, 05 Nov 2026 08:49:37 GMT', AT],
    ['Thursday, 05-Nov-26 08:49:37 GMT', AT],
    ['Thu Nov  5 08:49:37 2026', AT],
    ['Friday, 05-Nov-94 08:49:37 GMT', Date.UTC(1994, 10, 5, 8, 49, 37)],
    ['Thu, 05 Nov 2026 08:49:60 GMT', AT + 23 * SECOND],
    ['Thu, 05 Nov 2026 25:49:37 GMT', null],
    ['Thu, 05 Nov 2026 8:49:37 GMT', null],
    ['Thu, 05 Nox 2026 08:49:37 GMT', null],
    ['Thu, 05 Nov 2026 08:49:37 CET', null],
    ['2026-11-05T08:49:37Z', null],
    ['1', NOW + SECOND],
  ])('%s', (text, expected) => {
    expect(retryAfterMs(text, NOW)).toBe(expected)
  })
})

describe('the time that an answer asks to be spared for, by its own clock', () => {
  const DATE = 'Thu, 05 Nov 2026 08:49:37 GMT'

  test.each([
    ['30', null, 30 * SECOND],
    [' 30 ', DATE, 30 * SECOND],
    ['Thu, 05 Nov 2026 08:50:07 GMT', DATE, 30 * SECOND],
    ['Thu, 05 Nov 2026 08:49:07 GMT', DATE, 0],
    ['Thu, 05 Nov 2026 08:50:07 GMT', null, 0],
    ['Thu, 05 Nov 2026 08:50:07 GMT', 'yesterday', 0],
    ['-5', DATE, 0],
    ['1e9', DATE, 0],
    ['', DATE, 0],
    ['9'.repeat(65), DATE, 0],
    [null, DATE, 0],
  ])('%s after %s', (retryAfter, date, waitMs) => {
    expect(retryAfterWaitMs(retryAfter, date)).toBe(waitMs)
  })
})

test('every 2xx accepts a delivery, and nothing else does', () => {
  const accepting = [200, 201, 202, 204, 299]
  const others = [null, 0, 100, 199, 300, 302, 304, 400, 404, 410, 429, 500, 503]
  expect(accepting.every(isAccepted)).toBe(true)
  expect(others.some(isAccepted)).toBe(false)
})
