import { describe, expect, test } from 'bun:test'
import { jsonLines } from '../../dashboard/parts/text/json-lines.ts'

const MANY = 1000

describe('a body is shown in lines', () => {
  test('indented as everybody does it', () => {
    const value = { a: [1, { b: [], c: {} }], d: 'x', e: null, f: true }
    expect(shown(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2))
  })

  test('whatever spaces stand between its parts', () => {
    expect(shown(' {"a" :\n[ 1,\t2 ] } ')).toBe('{\n  "a": [\n    1,\n    2\n  ]\n}')
  })

  test('with all digits of its numbers', () => {
    expect(shown('[1208925819614629174706175,1.50,-0,2e400]')).toBe(
      '[\n  1208925819614629174706175,\n  1.50,\n  -0,\n  2e400\n]',
    )
  })

  test('with strings that hold quotes, brackets and backslashes', () => {
    const value = ['"', '\\', '\\"', '{[,:', '<script>alert(1)</script>', '😀\u2028']
    expect(shown(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2))
  })

  test('long hex is cut in the middle, and kept whole beside it', () => {
    const hash = `0x${'5c'.repeat(32)}`
    const [, line] = jsonLines(JSON.stringify([hash]), MANY)?.lines ?? []
    expect(line?.tokens).toEqual([{ kind: 's', text: '"0x5c5c5c5c…5c5c5c5c"', whole: `"${hash}"` }])
  })

  test('names and values are told apart', () => {
    const [, line] = jsonLines('{"a":"b"}', MANY)?.lines ?? []
    expect(line?.tokens.map(({ kind }) => kind)).toEqual(['k', 'p', 's'])
  })

  test('no more of them than asked for', () => {
    const long = JSON.stringify(Array.from({ length: 100_000 }, (_, at) => at))
    const found = jsonLines(long, 50)
    expect(found?.lines.length).toBe(50)
    expect(found?.isCut).toBe(true)
  })
})

describe('a text that is not JSON is not shown as JSON', () => {
  test.each([
    '',
    ' ',
    '{',
    ']',
    '[}',
    '"open',
    '"open\\"',
    '[1,',
    'nothing',
    '[01]',
    '[+1]',
    '[NaN]',
    '[undefined]',
    "{'a':1}",
    '<html></html>',
    '\u0000',
    '[1]]',
    '[',
  ])('%p', (text) => {
    expect(jsonLines(text, MANY)).toBeNull()
  })

  test('nor does a long one that ends nowhere take long', () => {
    expect(jsonLines(`"${'\\'.repeat(1_000_001)}"`, MANY)).toBeNull()
    expect(jsonLines(`"${'\\"'.repeat(500_000)}`, MANY)).toBeNull()
    expect(jsonLines('['.repeat(1_000_000), MANY)).toBeNull()
  })
})

function shown(text: string): string | undefined {
  return jsonLines(text, MANY)
    ?.lines.map(({ depth, tokens }) => '  '.repeat(depth) + tokens.map((one) => one.text).join(''))
    .join('\n')
}
