import { expect, test } from 'bun:test'
import type { Clock } from '../../ports/clock.ts'
import { windowLimiter } from './window-limiter.ts'

function limiterAt(limits = { countMax: 2, windowMs: 10_000, keysMax: 3 }) {
  const time = { ms: 5 }
  const clock = { monotonicMs: () => time.ms } as Clock
  return { time, limiter: windowLimiter(clock, limits) }
}

test('a key that used up its window waits for the next, and others do not', () => {
  const { time, limiter } = limiterAt()
  limiter.add('a')
  expect(limiter.waitS('a')).toBe(0)
  limiter.add('a')
  expect([limiter.waitS('a'), limiter.waitS('b')]).toEqual([10, 0])
  time.ms += 9_999
  expect(limiter.waitS('a')).toBe(1)
  time.ms += 1
  expect(limiter.waitS('a')).toBe(0)
})

test('strangers without number cost no memory without end', () => {
  const { limiter } = limiterAt()
  for (const key of ['a', 'a', 'b', 'c']) limiter.add(key)
  expect(limiter.waitS('a')).toBeGreaterThan(0)
  limiter.add('d')
  // The one counted longest made room.
  expect(limiter.waitS('a')).toBe(0)
  limiter.add('d')
  expect(limiter.waitS('d')).toBeGreaterThan(0)
})
