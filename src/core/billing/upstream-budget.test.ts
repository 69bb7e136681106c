import { describe, expect, test } from 'bun:test'
import { fullRequestBucket, requestsLeft, takeRequests } from './request-bucket.ts'
import { billingPeriod, costFactor, creditsLeft, creditsOf } from './upstream-budget.ts'

const at = (text: string) => Date.parse(`${text}Z`)

describe('a billing month begins on its reset day', () => {
  test.each([
    ['2026-11-17T10:00', 1, '2026-11-01', '2026-12-01'],
    ['2026-11-17T10:00', 17, '2026-11-17', '2026-12-17'],
    ['2026-11-17T00:00', 17, '2026-11-17', '2026-12-17'],
    ['2026-11-16T23:59', 17, '2026-10-17', '2026-11-17'],
    ['2026-12-31T23:59', 5, '2026-12-05', '2027-01-05'],
    ['2027-01-01T00:00', 5, '2026-12-05', '2027-01-05'],
    ['2026-02-28T12:00', 31, '2026-02-28', '2026-03-31'],
    ['2026-03-30T12:00', 31, '2026-02-28', '2026-03-31'],
    ['2028-02-29T12:00', 30, '2028-02-29', '2028-03-30'],
    ['2026-04-30T00:00', 31, '2026-04-30', '2026-05-31'],
  ])('%s, with the day %d', (now, resetDay, start, end) => {
    const { startMs, endMs } = billingPeriod(at(now), resetDay)
    expect([startMs, endMs]).toEqual([at(`${start}T00:00`), at(`${end}T00:00`)])
  })

  test('and every moment is in the month that it is said to be in', () => {
    for (let day = 0; day < 800; day++) {
      const nowMs = at('2026-01-01T11:00') + day * 86_400_000
      for (const resetDay of [1, 15, 28, 29, 30, 31]) {
        const { startMs, endMs } = billingPeriod(nowMs, resetDay)
        expect(startMs <= nowMs && nowMs < endMs).toBe(true)
        expect(billingPeriod(endMs, resetDay).startMs).toBe(endMs)
      }
    }
  })
})

test('a call costs what its method does, whatever that is called', () => {
  const credits = { default: 7, eth_call: 26, free: 0 }
  const prices = ['eth_call', 'free', 'eth_x', '__proto__', 'constructor', 'toString', 'default']
  expect(prices.map((method) => creditsOf(credits, method))).toEqual([26, 0, 7, 7, 7, 7, 7])
})

test('the last twentieth of a month is kept for our own reads', () => {
  const left = [0, 94, 95, 99, 100, 1000].map((spent) => creditsLeft(spent, 100))
  expect(left).toEqual(['left', 'left', 'reserve', 'reserve', 'none', 'none'])
  expect([0, 1].map((spent) => creditsLeft(spent, 1))).toEqual(['left', 'none'])
  expect(creditsLeft(1e15, null)).toBe('left')
})

test('who spends ahead of time becomes dearer, smoothly and within bounds', () => {
  const period = { startMs: 0, endMs: 100 }
  const halfway = [0, 50, 75, 90, 99, 100, 200].map((spent) => costFactor(spent, 100, period, 50))
  expect(halfway).toEqual([4, 4, 8, 20, 64, 64, 64])
  expect(costFactor(1e15, null, period, 50)).toBe(4)
  // At the end of the month there is nothing to be saved for.
  expect(costFactor(90, 100, period, 99)).toBe(4)
})

describe('requests a second', () => {
  test('are as many as configured, with one second in store', () => {
    const bucket = fullRequestBucket(10, 0)
    let sent = 0
    for (let nowMs = 0; nowMs < 10_000; nowMs++) {
      while (requestsLeft(bucket, nowMs) >= 1) {
        takeRequests(bucket, 1, nowMs)
        sent++
      }
    }
    expect(sent).toBe(10 + 99)
  })

  test('that were owed come first, and no more than a second is owed', () => {
    const bucket = fullRequestBucket(10, 0)
    takeRequests(bucket, 1000, 0)
    expect(requestsLeft(bucket, 0)).toBe(-10)
    expect(requestsLeft(bucket, 1000)).toBe(0)
    expect(requestsLeft(bucket, 1100)).toBe(1)
    // A clock set back hands nothing out.
    expect(requestsLeft(bucket, 500)).toBe(1)
  })
})
