import { expect, test } from 'bun:test'
import { typedRows } from './typed-rows.ts'

test('the first row says what the values are, the others follow it', () => {
  const rows = [
    ['a', 1],
    ['b', null],
    ['c', 3],
  ]
  const { parts, values } = typedRows(['TEXT', 'BIGINT'], rows)
  expect(parts.join('?')).toBe('(CAST(? AS TEXT), CAST(? AS BIGINT)), (?, ?), (?, ?)')
  expect(values).toEqual(['a', 1, 'b', null, 'c', 3])
})

test('a row that lacks a value is refused', () => {
  expect(() => typedRows(['TEXT', 'BIGINT'], [['a']])).toThrow('a value of each type')
})
