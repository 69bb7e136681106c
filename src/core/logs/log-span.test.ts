import { describe, expect, test } from 'bun:test'
import { learnSpan, lowerLimit, newLogSpan, spanNow } from './log-span.ts'

const TEN_MINUTES = 600_000

describe('the range that a node takes', () => {
  test('is unlimited until it refuses one', () => {
    expect(spanNow(newLogSpan(), 5)).toBe(Number.POSITIVE_INFINITY)
  })

  test('is what it names', () => {
    const span = newLogSpan()
    learnSpan(span, 100_000, 2000, 0)
    expect(spanNow(span, 0)).toBe(2000)
  })

  test('is found in a few steps where it names none', () => {
    const span = newLogSpan()
    let steps = 0
    while (spanNow(span, 0) > 2000 && steps < 50) {
      learnSpan(span, Math.min(100_000, spanNow(span, 0)), null, 0)
      steps++
    }
    expect([spanNow(span, 0), steps]).toEqual([2000, 6])
  })

  test('doubles as time goes by, so that no refusal is for ever', () => {
    const span = newLogSpan()
    learnSpan(span, 100, 10, 0)
    expect(spanNow(span, TEN_MINUTES - 1)).toBe(10)
    expect(spanNow(span, TEN_MINUTES)).toBe(20)
    expect(spanNow(span, TEN_MINUTES * 10)).toBe(10_240)
    expect(spanNow(span, TEN_MINUTES * 100)).toBe(Number.POSITIVE_INFINITY)
    learnSpan(span, 10_000, null, TEN_MINUTES * 10)
    expect(spanNow(span, TEN_MINUTES * 10)).toBe(5000)
  })

  test('does not get shorter by the refusal of more, nor of a single block', () => {
    const span = newLogSpan()
    learnSpan(span, 100_000, 2000, 0)
    learnSpan(span, 50_000, null, 0)
    learnSpan(span, 1, null, 0)
    learnSpan(span, 1, 0, 0)
    expect(spanNow(span, 0)).toBe(2000)
  })

  test.each([
    [1_000_001, 1_000_000],
    [2000, 1000],
    [2, 1],
    [1, 1],
  ])('below %d the usual limit is %d', (blocks, limit) => {
    expect(lowerLimit(blocks)).toBe(limit)
  })
})
