import { describe, expect, test } from 'bun:test'
import { fixedDouble, plainDouble } from './plain-double.ts'

describe('a double as the node prints it', () => {
  test.each([
    [0, '0'],
    [-0, '-0'],
    [1, '1'],
    [0.1, '0.1'],
    [-2.5, '-2.5'],
    [1e21, '1000000000000000000000'],
    [-1.25e22, '-12500000000000000000000'],
    [1e-7, '0.0000001'],
    [-1.5e-9, '-0.0000000015'],
    [5e-324, `0.${'0'.repeat(323)}5`],
    [Number.MAX_VALUE, `17976931348623157${'0'.repeat(292)}`],
    [Number.POSITIVE_INFINITY, 'inf'],
    [Number.NEGATIVE_INFINITY, '-inf'],
    [Number.NaN, 'NaN'],
  ])('%p has no exponent: %s', (value, text) => {
    expect(plainDouble(value)).toBe(text)
  })

  test.each([
    [0.5, 0, '0'],
    [1.5, 0, '2'],
    [2.5, 0, '2'],
    [0.125, 2, '0.12'],
    [0.375, 2, '0.38'],
    [0.1, 20, '0.10000000000000000555'],
    [1e21, 2, '1000000000000000000000.00'],
    [-0.001, 2, '-0.00'],
    [0, 3, '0.000'],
    [123456.789, 3, '123456.789'],
    [5e-324, 1, '0.0'],
    [2 ** 70, 0, '1180591620717411303424'],
    [Number.POSITIVE_INFINITY, 4, 'inf'],
    [Number.NaN, 4, 'NaN'],
  ])('%p with %p digits behind the point is %s, ties to even', (value, decimals, text) => {
    expect(fixedDouble(value, decimals)).toBe(text)
  })

  test('as many digits as a mint can ask for are exact', () => {
    const text = fixedDouble(0.1, 255)
    expect(text).toStartWith('0.1000000000000000055511151231257827021181583404541015625000')
    expect(text).toHaveLength(257)
  })
})
