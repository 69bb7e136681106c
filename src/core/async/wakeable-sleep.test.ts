import { describe, expect, test } from 'bun:test'
import { settled, testClock } from '../../../tests/support/basics/test-clock.ts'
import { openWakeableSleep } from './wakeable-sleep.ts'

function stage() {
  const clock = testClock()
  const sleep = openWakeableSleep(clock)
  /** Whether it ended, asked as soon as everything has settled. */
  const ended = async (waiting: Promise<void>) => {
    let isOver = false
    void waiting.then(() => {
      isOver = true
    })
    await settled()
    return isOver
  }
  return { clock, sleep, ended }
}

describe('a sleep', () => {
  test('lasts as long as it was to last, then and not before', async () => {
    const { clock, sleep, ended } = stage()
    const sleeping = sleep.sleep(100)
    await clock.advance(99)
    expect(await ended(sleeping)).toBe(false)
    await clock.advance(1)
    expect(await ended(sleeping)).toBe(true)
  })

  test('ends when it is woken, and leaves no timer behind', async () => {
    const { clock, sleep, ended } = stage()
    const sleeping = sleep.sleep(100)
    sleep.wake()
    expect(await ended(sleeping)).toBe(true)
    expect(clock.timers()).toBe(0)
  })

  test('ends at once for news that came before it, and for that only once', async () => {
    const { sleep, ended } = stage()
    sleep.wake()
    sleep.wake()
    expect(await ended(sleep.sleep(100))).toBe(true)
    expect(await ended(sleep.sleep(100))).toBe(false)
  })

  test('is not ended by the news that ended the one before', async () => {
    const { sleep, ended } = stage()
    const first = sleep.sleep(100)
    sleep.wake()
    await first
    expect(await ended(sleep.sleep(100))).toBe(false)
  })
})

describe('a pause', () => {
  test('is not cut short by news, which it uses up', async () => {
    const { clock, sleep, ended } = stage()
    const pausing = sleep.pause(100)
    sleep.wake()
    expect(await ended(pausing)).toBe(false)
    await clock.advance(100)
    expect(await ended(pausing)).toBe(true)
    expect(await ended(sleep.sleep(100))).toBe(false)
  })
})

describe('closed', () => {
  test('it ends a sleep and a pause that are under way', async () => {
    for (const kind of ['sleep', 'pause'] as const) {
      const { clock, sleep, ended } = stage()
      const waiting = sleep[kind](100)
      sleep.close()
      expect(await ended(waiting)).toBe(true)
      expect(clock.timers()).toBe(0)
    }
  })

  test('it waits no more, however often it is asked', async () => {
    const { clock, sleep, ended } = stage()
    sleep.close()
    for (let times = 0; times < 3; times++) {
      expect(await ended(sleep.sleep(100))).toBe(true)
      expect(await ended(sleep.pause(100))).toBe(true)
    }
    expect(clock.timers()).toBe(0)
  })
})
