import { describe, expect, test } from 'bun:test'
import { openLateNumbers } from './late-numbers.ts'

describe('numbers that are committed in another order than they were given out', () => {
  test('are new once, whenever they show up', () => {
    const numbers = openLateNumbers()
    numbers.restart(10)
    expect([10, 11].map(numbers.isNew)).toEqual([false, true])
    numbers.note([11, 14], 0)
    expect([11, 12, 13, 14, 15].map(numbers.isNew)).toEqual([false, true, true, false, true])
    numbers.note([12], 500)
    expect(numbers.isNew(12)).toBe(false)
    expect(numbers.floor()).toBe(10)
  })

  test('are not waited for for ever', () => {
    const numbers = openLateNumbers()
    numbers.restart(0)
    numbers.note([3], 0)
    numbers.note([9], 9_000)
    expect(numbers.floor()).toBe(0)
    numbers.note([], 10_000)
    expect(numbers.floor()).toBe(3)
    expect([2, 4, 9].map(numbers.isNew)).toEqual([false, true, false])
    numbers.note([], 19_000)
    expect(numbers.floor()).toBe(9)
  })

  test('begin anew where too many were passed over', () => {
    const numbers = openLateNumbers()
    numbers.note([5, 6], 0)
    numbers.restart(100)
    numbers.note([], 20_000)
    expect([numbers.floor(), numbers.isNew(6), numbers.isNew(101)]).toEqual([100, false, true])
  })
})
