import { expect, test } from 'bun:test'
import { openPageMemory } from './page-memory.ts'

test('a buffer is used again once it is released, and is sent once', () => {
  const memory = openPageMemory()
  const first = memory.take()
  expect(first.isNew).toBe(true)
  memory.release(first.buffer)
  // Twice is once.
  memory.release(first.buffer)
  const second = memory.take()
  expect(second).toEqual({ ...first, isNew: false })
  expect(memory.take().buffer).not.toBe(first.buffer)
})

test('a buffer that is never released is never given to another page', () => {
  const memory = openPageMemory()
  const taken = Array.from({ length: 20 }, () => memory.take())
  expect(new Set(taken.map(({ buffer }) => buffer)).size).toBe(20)
  // Few are kept, so that those of lost pages are left to the collector.
  expect(new Set(taken.map(({ number }) => number)).size).toBe(4)
  const last = taken.at(-1)!
  memory.release(last.buffer)
  expect(memory.take().buffer).toBe(last.buffer)
})

test("a buffer whose place another has taken, or that is nobody's, is not kept", () => {
  const memory = openPageMemory()
  const taken = Array.from({ length: 5 }, () => memory.take())
  memory.release(taken[0]!.buffer)
  memory.release(new ArrayBuffer(8))
  expect(memory.take().isNew).toBe(true)
})
