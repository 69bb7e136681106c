import { describe, expect, test } from 'bun:test'
import { coloursFor } from './colours.ts'
import { digitsOf, readExactJson, readShownJson } from './exact-json.ts'
import { jsonText } from './terminal.ts'

const HUGE = '115792089237316195423570985008687907853269984665640564039457584007913129639935'

describe('JSON', () => {
  test('keeps all digits of a number', () => {
    const text = `{"a":${HUGE},"b":[9007199254740993,1.5,-9007199254740993,1e3]}`
    expect(JSON.stringify(readExactJson(text))).toBe(
      `{"a":${HUGE},"b":[9007199254740993,1.5,-9007199254740993,1000]}`,
    )
    const { a, b } = readShownJson(text) as { a: unknown; b: unknown[] }
    expect([a, ...b].map(digitsOf)).toEqual([
      HUGE,
      '9007199254740993',
      '1.5',
      '-9007199254740993',
      '1000',
    ])
    expect(digitsOf('7')).toBeNull()
  })

  test('is harmless in values and names where people read it, and unchanged where not', () => {
    const text = JSON.stringify({ '\x1b[2J': '\x9b2J', list: ['\r'] })
    expect(readShownJson(text)).toEqual({ '\\x1b[2J': '\\x9b2J', list: ['\\x0d'] })
    expect(readExactJson(text)).toEqual(JSON.parse(text))
  })

  test('is shown indented, in colours, and as the same document', () => {
    const text = `{"n":${HUGE},"s":"a\\u001b[2J","e":[],"o":{},"t":[true,null,{"x":"\\u009b"}]}`
    const plain = jsonText(readExactJson(text), coloursFor(false))
    expect(plain).toContain(`"n": ${HUGE},\n`)
    for (const code of ['\x1b', '\x9b']) expect(plain).not.toContain(code)
    expect(JSON.parse(plain)).toEqual(JSON.parse(text))
    expect(jsonText({ a: 1 }, coloursFor(true)).split('\n')[1]).toBe(
      '  \x1b[36m"a"\x1b[39m: \x1b[33m1\x1b[39m',
    )
  })
})
