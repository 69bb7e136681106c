import { describe, expect, test } from 'bun:test'
import { isCorroborated, isOutvoted, majorityHeight } from './votes.ts'

describe('a block is corroborated', () => {
  test.each([
    ['by the only node', { a: 1 }, 0, true],
    ['by most nodes', { a: 2, b: 1 }, 0, true],
    ['not by one of two', { a: 1, b: 1 }, 0, false],
    ['not by a minority', { a: 1, b: 2 }, 0, false],
    ['by more than any other', { a: 2, b: 1, c: 1 }, 0, true],
    ['not when nobody has it', { b: 1 }, 0, false],
    ['not when nobody answers', {}, 2, false],
    ['not by one while another is silent', { a: 1 }, 1, false],
    ['by two while another is silent', { a: 2 }, 1, true],
    ['not while a silent one could turn the vote', { a: 2, b: 1 }, 1, false],
  ])('%s', (_, votes, silent, holds) => {
    const held = new Map(Object.entries(votes))
    expect(isCorroborated({ held, silent }, 'a')).toBe(holds)
  })
})

describe('a block is outvoted', () => {
  test.each([
    ['by more who hold another', { a: 1, b: 2 }, true],
    ['by anyone when nobody has it', { b: 1 }, true],
    ['not by as many', { a: 1, b: 1 }, false],
    ['not by many who disagree among themselves', { a: 1, b: 1, c: 1 }, false],
    ['not when nobody answers', {}, false],
  ])('%s', (_, votes, isSo) => {
    expect(isOutvoted({ held: new Map(Object.entries(votes)), silent: 3 }, 'a')).toBe(isSo)
  })
})

describe('the height that most stand on', () => {
  const ours = (number: number) => ({ number, hash: 'ours' })
  const other = (number: number) => ({ number, hash: 'other' })

  test.each([
    ['is where the only one stands', [ours(9)], 9],
    ['is where both of two have come', [ours(9), ours(7)], 7],
    ['is where two of three have come', [ours(9), ours(8), ours(3)], 8],
    ['is where three of four have come', [ours(9), ours(9), ours(5), ours(2)], 5],
    ['does not mind one that is elsewhere', [ours(9), other(9), ours(8)], 8],
    ['is nowhere when one of two is elsewhere', [ours(9), other(9)], null],
    ['is nowhere when most have not said', [ours(9), null, null], null],
    ['is nowhere without anyone', [], null],
  ])('%s', (_, heads, height) => {
    expect(majorityHeight(heads, ({ hash }) => hash === 'ours')).toBe(height)
  })
})
