import { describe, expect, test } from 'bun:test'
import { canonicalText } from './canonical-text.ts'

describe('the canonical text of JSON', () => {
  test.each([
    ['{"b":1,"a":[1, 2]}', ' {"a":[1,2],"b":1}'.trim()],
    ['{ "a" : "\\u0041" }', '{"a":"A"}'],
    ['{"a":{"d":null,"c":true}}', '{"a":{"c":true,"d":null}}'],
    ['[]', '[ ]'],
  ])('%s is that of %s', (text, same) => {
    expect(canonicalText(text)).toBe(canonicalText(same))
  })

  test.each([
    ['{"a":18446744073709551615}', '{"a":18446744073709551614}'],
    ['{"a":1}', '{"a":"1"}'],
    ['[1,2]', '[2,1]'],
  ])('%s is not that of %s', (text, other) => {
    expect(canonicalText(text)).not.toBe(canonicalText(other))
  })
})
