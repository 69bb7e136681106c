import { describe, expect, test } from 'bun:test'
import { testClock } from '../../../tests/support/test-clock.ts'
import { openDeadline } from './deadline.ts'

const LIMIT_MS = 1000

function started() {
  const clock = testClock()
  return { clock, deadline: openDeadline(clock, LIMIT_MS) }
}

describe('one limit over several steps', () => {
  test('lets them finish, at once or later', async () => {
    const { clock, deadline } = started()
    const never = () => expect.unreachable('it was not late')
    const atOnce = deadline.step<string>((done) => {
      done('at once')
      return never
    })
    expect(await atOnce).toBe('at once')
    const later = deadline.step<string>((done) => {
      clock.after(LIMIT_MS - 1, () => done('later'))
      return never
    })
    await clock.advance(LIMIT_MS - 1)
    expect(await later).toBe('later')
    expect(deadline.leftMs()).toBe(1)
    await clock.advance(LIMIT_MS)
  })

  test('gives up the one that is under way, and begins no other', async () => {
    const { clock, deadline } = started()
    let given = 0
    const late = deadline.step<string>(() => () => given++)
    await clock.advance(LIMIT_MS)
    expect(await late).toBe('timeout')
    expect(given).toBe(1)
    expect(await deadline.step(() => expect.unreachable('it is late'))).toBe('timeout')
  })

  test('is over with its end', async () => {
    const { clock, deadline } = started()
    deadline.end()
    expect(clock.timers()).toBe(0)
  })
})
