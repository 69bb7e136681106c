import { describe, expect, test } from 'bun:test'
import { openHeardSlots } from './heard-slots.ts'

describe('the slots that were heard of', () => {
  test('show a block of which nobody told', () => {
    const heard = heardOf(10, 11, 13)
    expect(heard.missing([10, 11, 13], 10, 13)).toBeNull()
    expect(heard.missing([10, 11, 12, 13], 10, 13)).toBe(12)
    expect(heard.missing([10, 11, 12, 13], 13, 13)).toBeNull()
    expect(heard.missing([9, 10, 14], 10, 13)).toBeNull()
  })

  test('show a slot that is none of the ledger', () => {
    const heard = heardOf(10, 11, 13)
    expect(heard.dropped([10, 13], 10, 13)).toBe(11)
    expect(heard.dropped([10, 13], 12, 13)).toBeNull()
    expect(heard.dropped([], 10, 13)).toBe(10)
  })

  test('a change without a clock counts as told of, but not as a block that was', () => {
    const heard = heardOf(10)
    heard.noteChange(11)
    expect(heard.missing([10, 11], 10, 11)).toBe(11)
    expect(heard.dropped([10], 10, 11)).toBe(11)
    expect(heard.timeAt(11)).toBeNull()
    heard.noteClock(11, 5n)
    heard.noteChange(11)
    expect(heard.timeAt(11)).toBe(5n)
    expect(heard.missing([10, 11], 10, 11)).toBeNull()
  })

  test('a time of zero is a time', () => {
    const heard = openHeardSlots()
    heard.noteClock(10, 0n)
    expect(heard.missing([10], 10, 10)).toBeNull()
    expect(heard.timeAt(10)).toBe(0n)
  })

  test('clocks go forward on one line, and may begin anew on the next', () => {
    const heard = heardOf(10)
    expect(heard.noteClock(10, 1n)).toBe(false)
    expect(heard.noteClock(9, 1n)).toBe(false)
    heard.restart()
    expect(heard.noteClock(9, 1n)).toBe(true)
    expect(heard.newest).toBe(9)
  })

  test('are forgotten when they are many', () => {
    const heard = openHeardSlots()
    for (let slot = 0; slot < 20_000; slot++) heard.noteClock(slot, 1n)
    expect(heard.timeAt(5_000)).toBeNull()
    expect(heard.timeAt(15_000)).toBe(1n)
  })
})

function heardOf(...slots: number[]) {
  const heard = openHeardSlots()
  for (const slot of slots) heard.noteClock(slot, BigInt(slot))
  return heard
}
