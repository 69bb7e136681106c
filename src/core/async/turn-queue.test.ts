import { expect, test } from 'bun:test'
import { openTurnQueue } from './turn-queue.ts'

const TOGETHER_MAX = 3

/** A queue whose turns end on command, and what was worked on. */
function stage(more: Record<string, string> = {}) {
  const turnEnds: (() => void)[] = []
  const worked: string[] = []
  const queue = openTurnQueue<string>(
    (atTurnEnd) => turnEnds.push(atTurnEnd),
    TOGETHER_MAX,
    (one) => {
      worked.push(one)
      const next = more[one]
      if (next) queue.add(next)
    },
  )
  return { queue, worked, turnEnds, endTurn: () => turnEnds.shift()?.() }
}

test('what comes in one turn is worked on at its end, in order', () => {
  const { queue, worked, turnEnds, endTurn } = stage()
  queue.add('a')
  queue.add('b')
  expect([worked, turnEnds.length]).toEqual([[], 1])
  endTurn()
  expect(worked).toEqual(['a', 'b'])

  queue.add('c')
  endTurn()
  expect(worked).toEqual(['a', 'b', 'c'])
})

test('what comes during the work is for the next turn', () => {
  const { queue, worked, endTurn } = stage({ a: 'b' })
  queue.add('a')
  endTurn()
  expect(worked).toEqual(['a'])
  endTurn()
  expect(worked).toEqual(['a', 'b'])
})

test('many do not wait for the end of their turn', () => {
  const { queue, worked, turnEnds, endTurn } = stage()
  for (const one of 'abcd') queue.add(one)
  expect([worked, turnEnds.length]).toEqual([['a', 'b', 'c'], 1])
  endTurn()
  expect(worked).toEqual(['a', 'b', 'c', 'd'])
})

test('it can be asked to work at once', () => {
  const { queue, worked, endTurn } = stage()
  queue.add('a')
  queue.run()
  expect(worked).toEqual(['a'])
  queue.add('b')
  endTurn()
  expect(worked).toEqual(['a', 'b'])
})
