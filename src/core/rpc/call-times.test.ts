import { describe, expect, test } from 'bun:test'
import { addTime, addTimes, newTimes, TIME_BUCKETS, timeQuantileMs } from './call-times.ts'

function timesOf(...ms: number[]): number[] {
  const times = newTimes()
  for (const one of ms) addTime(times, one)
  return times
}

describe('times of calls', () => {
  test.each([0, 0.5, 0.6, 1, 29, 30, 31, 9_999, 10_000, 10_001, 45_000, 1e9, Number.MAX_VALUE])(
    'of %p ms are counted once',
    (ms) => {
      const times = timesOf(ms)
      expect(times).toHaveLength(TIME_BUCKETS)
      expect(times.reduce((sum, count) => sum + count, 0)).toBe(1)
    },
  )

  test('longer ones are never counted before shorter ones', () => {
    const buckets = Array.from({ length: 60_000 }, (_, ms) => timesOf(ms).indexOf(1))
    expect(buckets).toEqual(buckets.toSorted((a, b) => a - b))
    expect(buckets[0]).toBe(0)
    expect(buckets.at(-1)).toBe(TIME_BUCKETS - 1)
  })

  test('of which there are none have no quantile', () => {
    expect(timeQuantileMs(newTimes(), 0.5)).toBeNull()
  })

  test('are estimated to within their bucket', () => {
    expect(timeQuantileMs(timesOf(25), 0.5)).toBe(25)
    const spread = timesOf(...Array.from({ length: 1000 }, (_, at) => at / 10))
    expect(timeQuantileMs(spread, 0.5)).toBeCloseTo(50, 0)
    expect(timeQuantileMs(spread, 0.99)).toBeGreaterThan(80)
    expect(timeQuantileMs(spread, 0.99)).toBeLessThan(120)
    expect(timeQuantileMs(timesOf(20_000), 0.99)).toBeGreaterThan(10_000)
  })

  test('a few slow calls move the 99th percentile and not the median', () => {
    const times = timesOf(...Array<number>(985).fill(4), ...Array<number>(15).fill(700))
    expect(timeQuantileMs(times, 0.5)).toBeLessThan(5)
    expect(timeQuantileMs(times, 0.99)).toBeGreaterThan(500)
  })

  test('add up over processes', () => {
    const times = timesOf(1, 2, 3)
    addTimes(times, timesOf(3, 400))
    expect(times).toEqual(timesOf(1, 2, 3, 3, 400))
  })
})
