import { expect, test } from 'bun:test'
import { testClock } from '../../../../../tests/support/basics/test-clock.ts'
import { openIntervalMining } from './interval-mining.ts'

test('blocks come at their interval, and none while they are held', async () => {
  const clock = testClock()
  let mined = 0
  const mine = async () => {
    mined += 1
  }
  const chance = { fraction: () => 0.5 }
  const mining = openIntervalMining({ clock, entropy: chance, mine }, { minMs: 100, maxMs: 100 })
  await clock.advance(350)
  expect(mined).toBe(3)

  mining.hold(true)
  await clock.advance(10_000)
  expect(mined).toBe(3)

  mining.hold(false)
  mining.set({ minMs: 1000, maxMs: 3000 })
  await clock.advance(1999)
  expect(mined).toBe(3)
  await clock.advance(1)
  expect(mined).toBe(4)

  mining.set({ minMs: 0, maxMs: 0 })
  await clock.advance(10_000)
  expect(mined).toBe(4)
})
