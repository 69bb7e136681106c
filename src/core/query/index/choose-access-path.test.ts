import { describe, expect, test } from 'bun:test'
import { chooseAccessPath } from './choose-access-path.ts'

const A = `0x${'a'.repeat(40)}`
const T = `0x${'7'.repeat(64)}`
const variable = { has: () => false }
const cold = [new Map(), new Map(), new Map(), new Map(), new Map()]

describe('a conjunction is looked for where fewest items are likely to be met', () => {
  test.each([
    ['by the address rather than by the event', [A, T], 0],
    ['by an indexed argument rather than by the address', [A, T, T], 2],
    [
      'by the address where the argument may be one of many',
      [A, T, new Set([T, `${T}1`, `${T}2`])],
      0,
    ],
    ['by a key rather than by a variable', [variable, null, T], 2],
    ['by a variable rather than by the event', [variable, T], 0],
    ['by the event where there is nothing else', [null, T], 1],
    ['nowhere in particular when anything will do', [null, null], -1],
  ])('%s', (_title, checks, dimension) => {
    expect(chooseAccessPath('logs', checks, cold)).toBe(dimension)
  })

  test('by another key once its own was met by many', () => {
    const heat = [new Map(), new Map(), new Map([[T, 40]]), new Map(), new Map()]
    expect(chooseAccessPath('logs', [A, T, T], heat)).toBe(0)
  })

  test('transactions by who sent them rather than by whom everyone calls', () => {
    expect(chooseAccessPath('transactions', [A, A], cold)).toBe(0)
    expect(chooseAccessPath('callTracerTraces', [null, A], cold)).toBe(1)
  })
})
