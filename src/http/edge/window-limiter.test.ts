import { expect, test } from 'bun:test'
import type { Clock } from '../../ports/clock.ts'
import { windowLimiter } from './window-limiter.ts'

function limiterAt(limits = { countMax: 2, windowMs: 10_000, refusal: 'Too often.' }) {
  const time = { ms: 5 }
  const clock = { monotonicMs: () => time.ms } as Clock
  const limiter = windowLimiter(clock, limits)
  const waitS = (key: string) => limiter.refuse(key)?.facts.retryAfterS ?? 0
  return { time, limiter, waitS }
}

test('a key that used up its window waits for the next, and others do not', () => {
  const { time, limiter, waitS } = limiterAt()
  limiter.add('a')
  expect(waitS('a')).toBe(0)
  limiter.add('a')
  expect([waitS('a'), waitS('b')]).toEqual([10, 0])
  expect(limiter.refuse('a')).toMatchObject({ code: 'too_many_requests', message: 'Too often.' })
  time.ms += 9_999
  expect(waitS('a')).toBe(1)
  time.ms += 1
  expect(waitS('a')).toBe(0)
})

test('what is refused is not counted', () => {
  const { limiter, waitS } = limiterAt()
  expect([limiter.take('a'), limiter.take('a')]).toEqual([null, null])
  for (let at = 0; at < 5; at++) expect(limiter.take('a')).not.toBeNull()
  limiter.add('a', -1)
  expect(waitS('a')).toBe(0)
})

test('strangers without number cost no memory without end', () => {
  const { limiter, waitS } = limiterAt()
  for (const key of ['a', 'a']) limiter.add(key)
  for (let at = 1; at < 10_000; at++) limiter.add(`stranger ${at}`)
  expect(waitS('a')).toBeGreaterThan(0)
  limiter.add('d')
  // The one counted longest made room.
  expect(waitS('a')).toBe(0)
  limiter.add('d')
  expect(waitS('d')).toBeGreaterThan(0)
})
