import { describe, expect, test } from 'bun:test'
import { monthIsFull } from './plan.ts'

describe('the month', () => {
  test.each([
    ['has room until its last hundredth is used', 2_999_999_999, 30_000_000, false],
    ['has none when it is used up', 3_000_000_000, 30_000_000, true],
    ['has none when a call has crossed it', 3_000_004_000, 30_000_000, true],
    ['has none in a tier of nothing', 0, 0, true],
    ['never ends without a limit', Number.MAX_SAFE_INTEGER, null, false],
  ])('%s', (_title, usedCentiCu, monthlyCu, full) => {
    expect(monthIsFull(usedCentiCu, monthlyCu)).toBe(full)
  })
})
