import { expect, test } from 'bun:test'
import { backoffMs, openBackoff } from './backoff.ts'

const LIMITS = { minMs: 100, maxMs: 1_000 }

test('waits double with each failure, up to the longest', () => {
  const backoff = openBackoff(LIMITS)
  const waits = Array.from({ length: 6 }, () => backoff.nextMs())
  expect(waits).toEqual([100, 200, 400, 800, 1_000, 1_000])
})

test('a success makes the next wait the shortest again', () => {
  const backoff = openBackoff(LIMITS)
  backoff.nextMs()
  backoff.nextMs()
  backoff.reset()
  backoff.reset()
  expect(backoff.nextMs()).toBe(100)
})

test.each([
  [-3, 100],
  [0, 100],
  [1, 100],
  [4, 800],
  [5, 1_000],
  [1_000_000, 1_000],
])('the wait after %d failures is %d ms', (failures, waitMs) => {
  expect(backoffMs(LIMITS, failures)).toBe(waitMs)
})
