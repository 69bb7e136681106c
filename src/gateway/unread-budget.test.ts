import { expect, test } from 'bun:test'
import { openUnreadBudget } from './unread-budget.ts'

test('a caller may hold as much as it leaves free for others', () => {
  const room = openUnreadBudget(() => 1000)
  const greedy = Array.from({ length: 20 }, () => room.open('greedy')).map((hold) => hold.grow(100))
  expect(greedy.filter(Boolean)).toHaveLength(5)
  expect(room.hasRoom('greedy')).toBe(false)

  const modest = room.open('modest')
  expect(modest.grow(200)).toBe(true)
  expect(modest.grow(100)).toBe(false)
  expect(room.open('third').grow(300)).toBe(true)
  expect(room.hasRoom('fourth')).toBe(false)
})

test('the first answer of a caller is taken where it fits at all', () => {
  const room = openUnreadBudget(() => 1000)
  expect(room.open('one').grow(1001)).toBe(false)
  const hold = room.open('one')
  expect(hold.grow(900)).toBe(true)
  expect(room.open('two').grow(101)).toBe(false)
  expect(room.open('two').grow(100)).toBe(true)
})

test('what is released can be taken again, once', () => {
  const room = openUnreadBudget(() => 1000)
  const hold = room.open('one')
  expect(hold.grow(600)).toBe(true)
  expect(room.hasRoom('one')).toBe(false)
  hold.release()
  hold.release()
  for (let at = 0; at < 10; at++) {
    const again = room.open('one')
    expect(again.grow(500)).toBe(true)
    expect(again.grow(1)).toBe(false)
    again.release()
  }
  expect(room.open('two').grow(1000)).toBe(true)
})
