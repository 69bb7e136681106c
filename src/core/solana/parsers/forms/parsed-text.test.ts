import { describe, expect, test } from 'bun:test'
import { floatText, rewrittenJson } from './parsed-text.ts'

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

describe('a double in the digits of a node', () => {
  test.each([
    [0, '0.0'],
    [-0, '-0.0'],
    [1, '1.0'],
    [-1.5, '-1.5'],
    [0.1, '0.1'],
    [0.00001, '0.00001'],
    [0.0000099, '9.9e-6'],
    [1e-6, '1e-6'],
    [1e-7, '1e-7'],
    [9999999999999998, '9999999999999998.0'],
    [1e16, '1e+16'],
    [-1.25e20, '-1.25e+20'],
    [1.7976931348623157e308, '1.7976931348623157e+308'],
    [5e-324, '5e-324'],
    [Number.NaN, 'null'],
    [Number.POSITIVE_INFINITY, 'null'],
  ])('%p', (value, expected) => {
    expect(floatText(value)).toBe(expected)
  })
})

describe('a JSON document as a node writes it', () => {
  test.each([
    [
      'members by name, spaces gone',
      ' {"b": [1, {"d":0,"c":null}], "a" : "x"} ',
      '{"a":"x","b":[1,{"c":null,"d":0}]}',
    ],
    ['the last of two equal members', '{"a":1,"b":2,"a":3}', '{"a":3,"b":2}'],
    [
      'names that look like numbers or parts of the language',
      '{"10":1,"9":2,"__proto__":3}',
      '{"10":1,"9":2,"__proto__":3}',
    ],
    [
      'names in the order of their bytes',
      '{"\\ud83d\\ude00":1,"\\uffee":2}',
      '{"\uffee":2,"\u{1f600}":1}',
    ],
    [
      'whole numbers of 64 bits',
      '[18446744073709551615,-9223372036854775808]',
      '[18446744073709551615,-9223372036854775808]',
    ],
    [
      'whole numbers beyond them',
      '[18446744073709551616,-9223372036854775809]',
      '[1.8446744073709552e+19,-9.223372036854776e+18]',
    ],
    ['numbers with a point or an exponent', '[1.0,1e2,0.5,-0]', '[1.0,100.0,0.5,-0.0]'],
    ['escapes that are not needed', '"\\u0041\\/\\u00e9\\u0007\\n"', '"A/é\\u0007\\n"'],
    ['a bare value', 'true', 'true'],
    ['nothing in it', '{"a":{},"b":[]}', '{"a":{},"b":[]}'],
    ['as deep as it may be', nested(127), nested(127)],
  ])('%s', (_what, text, expected) => {
    expect(rewrittenJson(text)).toBe(expected)
  })

  test.each([
    ['not JSON', '{a:1}'],
    ['empty', ''],
    ['two documents', '{}{}'],
    ['half a character', '"\\ud800"'],
    ['half a character in a name', '{"\\udc00":1}'],
    ['half a character deep inside', '{"a":[{"b":"\\ud800"}]}'],
    ['a number beyond all doubles', '[1e999]'],
    ['too deep', nested(128)],
    ['far too deep', '['.repeat(1_000_000)],
  ])('%s: a node cannot read it', (_what, text) => {
    expect(rewrittenJson(text)).toBeNull()
  })
})
