import { expect, test } from 'bun:test'
import { giveBack, keep, lend, newMemory } from './lent-memory.ts'

test('memory is lent to one at a time, until it is given back', () => {
  const memories = [newMemory(100), newMemory(100)]
  const [first, second] = [lend(memories, 50), lend(memories, 100)]
  expect([first?.length, second?.length]).toEqual([100, 100])
  expect(first?.buffer).not.toBe(second?.buffer as SharedArrayBuffer)
  expect(lend(memories, 1)).toBeNull()
  giveBack(second?.subarray(10, 20) as Uint8Array)
  expect(lend(memories, 1)?.buffer).toBe(second?.buffer as SharedArrayBuffer)
})

test('what is too small is not lent', () => {
  const memories = [newMemory(10), newMemory(20)]
  expect(lend(memories, 11)?.length).toBe(20)
  expect(lend(memories, 21)).toBeNull()
  expect(lend(memories, 10)?.length).toBe(10)
})

test('writing to all of it does not give it back', () => {
  const memories = [newMemory(10)]
  lend(memories, 10)?.fill(0)
  expect(lend(memories, 1)).toBeNull()
})

test('what is kept stays as it is while its memory is lent to others', () => {
  const memories = [newMemory(10)]
  const kept = keep(lend(memories, 3)?.fill(7).subarray(0, 3) as Uint8Array)
  lend(memories, 3)?.fill(8)
  expect(kept).toEqual(Uint8Array.of(7, 7, 7))
})

test('other memory is nobody’s to give back', () => {
  const bytes = Uint8Array.of(1, 2)
  giveBack(bytes)
  expect(keep(bytes)).toBe(bytes)
})
