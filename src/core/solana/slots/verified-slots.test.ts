import { describe, expect, test } from 'bun:test'
import { openVerifiedSlots } from './verified-slots.ts'

const KEEP_MS = 1_000

describe('the moments that can be shown', () => {
  test('are the newest one, and the newest that is final', () => {
    const slots = slotsOf(10, 20, 30)
    expect(slots.newest?.slot).toBe(30)
    expect(slots.upTo(29)?.slot).toBe(20)
    expect(slots.upTo(20)?.slot).toBe(20)
    expect(slots.upTo(9)).toBeNull()
  })

  test('are never added behind those that are there', () => {
    const slots = slotsOf(10, 20)
    slots.add({ slot: 15, unixTimestamp: 0n, takenAtMs: 5 })
    expect(slots.upTo(19)?.slot).toBe(10)
    slots.add({ slot: 20, unixTimestamp: 0n, takenAtMs: 99 })
    expect(slots.newest).toMatchObject({ slot: 20, takenAtMs: 99 })
  })

  test('can be read on for as long as a page key is good, and no longer', () => {
    const slots = slotsOf(10, 20)
    expect(slots.retire(20, 100)).toBe(10)
    expect(slots.read(10, 200)).not.toBeNull()
    expect(slots.retire(20, 1_150)).toBe(10)
    expect(slots.retire(20, 1_201)).toBe(20)
    expect(slots.read(10, 1_201)).toBeNull()
    expect(slots.read(20, 1_201)?.slot).toBe(20)
  })

  test('are kept while somebody reads on, but not for ever', () => {
    const slots = slotsOf(10, 20)
    slots.retire(20, 0)
    for (let nowMs = 0; nowMs < 6 * KEEP_MS; nowMs += KEEP_MS / 2) {
      expect(slots.read(10, nowMs)).not.toBeNull()
      expect(slots.retire(20, nowMs)).toBe(10)
    }
    slots.read(10, 6 * KEEP_MS - 1)
    expect(slots.retire(20, 6 * KEEP_MS)).toBe(20)
  })

  test('wait for the ledger to make them final before they retire', () => {
    const slots = slotsOf(10, 20, 30)
    expect(slots.retire(5, 0)).toBe(10)
    expect(slots.retire(5, 10 * KEEP_MS)).toBe(10)
    slots.retire(25, 10 * KEEP_MS)
    expect(slots.retire(25, 12 * KEEP_MS)).toBe(20)
  })

  test('go when they turn out to be of another fork', () => {
    const slots = slotsOf(10, 20, 30)
    slots.dropFrom(20)
    expect(slots.newest?.slot).toBe(10)
    expect(slots.read(20, 0)).toBeNull()
    slots.add({ slot: 25, unixTimestamp: 0n, takenAtMs: 0 })
    expect(slots.newest?.slot).toBe(25)
  })

  test('are forgotten when they are many and none ever becomes final', () => {
    const slots = slotsOf(...Array.from({ length: 1_500 }, (_, at) => at))
    expect(slots.read(499, 0)).toBeNull()
    expect(slots.read(500, 0)).not.toBeNull()
  })
})

function slotsOf(...slots: number[]) {
  const verified = openVerifiedSlots(KEEP_MS)
  for (const slot of slots) verified.add({ slot, unixTimestamp: 0n, takenAtMs: 0 })
  return verified
}
