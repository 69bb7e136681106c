import { expect, test } from 'bun:test'
import { openTimeSlices } from './time-slices.ts'

test('work goes on within a slice, and lets others go first once it is used up', async () => {
  let nowMs = 0
  let rests = 0
  const slices = openTimeSlices({
    monotonicMs: () => nowMs,
    sleep: async (delayMs) => {
      expect(delayMs).toBe(0)
      rests++
    },
  })
  nowMs = 4
  await slices.rest()
  expect(rests).toBe(0)
  nowMs = 5
  await slices.rest()
  await slices.rest()
  expect(rests).toBe(1)
  nowMs = 30
  await slices.rest()
  expect(rests).toBe(2)
})
