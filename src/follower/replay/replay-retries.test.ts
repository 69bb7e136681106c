import { describe, expect, test } from 'bun:test'
import { testClock } from '../../../tests/support/basics/test-clock.ts'
import type { Replay } from '../../tables/webhooks/replays.ts'
import { openReplayRetries } from './replay-retries.ts'

const at = (nextBlock: number, id = 'rpl_1') => ({ id, nextBlock }) as Replay

function stage() {
  const clock = testClock()
  const retries = openReplayRetries(clock)
  /** How long it is not due, in seconds. */
  const waitS = (id = 'rpl_1') => {
    let seconds = 0
    for (; !retries.isDue(id); seconds++) clock.skip(1_000)
    return seconds
  }
  return { clock, retries, waitS }
}

describe('the retries of a replay', () => {
  test('come later and later while the same block fails, up to a minute', () => {
    const { retries, waitS } = stage()
    const waits = Array.from({ length: 8 }, () => {
      expect(retries.recordFailure(at(5), true)).toBe(true)
      return waitS()
    })
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
  })

  test('begin anew at the next block, and after the replay was forgotten', () => {
    const { retries, waitS } = stage()
    for (let times = 0; times < 5; times++) retries.recordFailure(at(5), true)
    retries.recordFailure(at(6), true)
    expect(waitS()).toBe(1)
    for (let times = 0; times < 5; times++) retries.recordFailure(at(6), true)
    retries.forget('rpl_1')
    expect(retries.isDue('rpl_1')).toBe(true)
    retries.recordFailure(at(6), true)
    expect(waitS()).toBe(1)
  })

  test('end after 14 failures in which nodes answered, never while none does', () => {
    const { retries } = stage()
    for (let times = 0; times < 100; times++) {
      expect(retries.recordFailure(at(5), true)).toBe(true)
    }
    for (let times = 0; times < 13; times++) {
      expect(retries.recordFailure(at(5), false)).toBe(true)
    }
    expect(retries.recordFailure(at(5), false)).toBe(false)
  })

  test('count from the start when nobody answered in between', () => {
    const { retries } = stage()
    for (let times = 0; times < 13; times++) retries.recordFailure(at(5), false)
    retries.recordFailure(at(5), true)
    expect(retries.recordFailure(at(5), false)).toBe(true)
  })

  test('keep their count through a wait that is no failure', () => {
    const { retries, waitS } = stage()
    retries.recordFailure(at(5), true)
    retries.recordFailure(at(5), true)
    retries.postpone(at(5), 1_000)
    expect(waitS()).toBe(1)
    retries.recordFailure(at(5), true)
    expect(waitS()).toBe(4)
  })
})

describe('news', () => {
  test('ends waits, but not the back-off after a failure', () => {
    const { retries } = stage()
    retries.postpone(at(5, 'rpl_waits'), 60_000)
    retries.recordFailure(at(5, 'rpl_failed'), true)
    retries.endWaits()
    expect(retries.isDue('rpl_waits')).toBe(true)
    expect(retries.isDue('rpl_failed')).toBe(false)
  })
})

test('what has not been seen for long is forgotten, and nothing before', () => {
  const { clock, retries, waitS } = stage()
  for (let times = 0; times < 3; times++) retries.recordFailure(at(5), true)
  clock.skip(4_000 + 599_000)
  retries.forgetStale()
  retries.recordFailure(at(5), true)
  expect(waitS()).toBe(8)
  clock.skip(601_000)
  retries.forgetStale()
  retries.recordFailure(at(5), true)
  expect(waitS()).toBe(1)
})
