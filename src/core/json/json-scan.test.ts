import { describe, expect, test } from 'bun:test'
import { type Chance, seededChance } from '../../../tests/support/basics/seeded-chance.ts'
import { nestsDeeperThan, rawElements, rawMembers } from './json-scan.ts'

describe('the raw text of members and elements', () => {
  test.each([
    ['a plain object', '{"a":1,"b":"x"}', { a: '1', b: '"x"' }],
    ['white space of every kind', '\r\n\t { "a" \n:\t[ 1 , 2 ]\r, "b" : { } } ', undefined],
    ['nothing at all', ' { } ', {}],
    ['digits beyond a double', '{"a":18446744073709551615}', { a: '18446744073709551615' }],
    [
      'numbers as they are spelled',
      '{"a":1.50,"b":-0,"c":1E+2}',
      { a: '1.50', b: '-0', c: '1E+2' },
    ],
    ['a key spelled with escapes', '{"\\u0069\\u0064":7}', { id: '7' }],
    ['a key with a quote in it', '{"a\\"b":1,"c":2}', { 'a"b': '1', c: '2' }],
    ['a key that ends in backslashes', '{"a\\\\":1,"c":2}', { 'a\\': '1', c: '2' }],
    ['a value that ends in backslashes', '{"a":"x\\\\\\\\","c":2}', { a: '"x\\\\\\\\"', c: '2' }],
    ['brackets inside of strings', '{"a":"]}{[,:","b":["}"]}', { a: '"]}{[,:"', b: '["}"]' }],
    ['an empty key', '{"":null}', { '': 'null' }],
    ['a surrogate pair in a key', '{"\\ud83d\\ude00":true}', { '😀': 'true' }],
    ['a key that is special elsewhere', '{"__proto__":1,"constructor":2}', undefined],
  ])('are found in %s', (_title, text, expected) => {
    const members = rawMembers(text)
    if (expected) expect(Object.fromEntries(members)).toEqual(expected)
    expectSameMembers(text)
  })

  test('of a key given twice are the last one, as JSON.parse has it', () => {
    const text = '{"id":1,"\\u0069d":2,"id":3}'
    expect(rawMembers(text).get('id')).toBe('3')
    expectSameMembers(text)
  })

  test.each([
    ['[]', []],
    [' [ ] ', []],
    ['[1]', ['1']],
    [
      '[1,"a,b",[2,[3]],{"x":[4]},null , true]',
      ['1', '"a,b"', '[2,[3]]', '{"x":[4]}', 'null', 'true'],
    ],
    ['["\\"","\\\\","]"]', ['"\\""', '"\\\\"', '"]"']],
    [
      '[18446744073709551615, -9223372036854775808]',
      ['18446744073709551615', '-9223372036854775808'],
    ],
  ])('are found in the array %s', (text, expected) => {
    expect(rawElements(text)).toEqual(expected)
  })

  test('parse to the same values as the whole, for thousands of made-up objects', () => {
    const chance = seededChance(7)
    for (let round = 0; round < 2000; round++) {
      const value = madeUpObject(chance, 4)
      const text = spelled(chance, value)
      expect(JSON.parse(text)).toEqual(value)
      expectSameMembers(text)
      const list = `[${text},${spelled(chance, value)}]`
      expect(rawElements(list).map((raw) => JSON.parse(raw))).toEqual([value, value])
    }
  })

  test('cost no more than the text is long, even for a megabyte of backslashes', () => {
    const long = '\\\\'.repeat(500_000)
    const text = `{"a":"${long}","b":1}`
    expect(rawMembers(text).get('b')).toBe('1')
  })

  test('end for every text, valid or not', () => {
    const chance = seededChance(11)
    const alphabet = ['{', '}', '[', ']', '"', '\\', ',', ':', '1', 'a', ' ', '\u0001']
    for (let round = 0; round < 5000; round++) {
      const text = Array.from({ length: chance.between(0, 12) }, () => chance.pick(alphabet)).join(
        '',
      )
      expect(rawElements(text).length).toBeLessThanOrEqual(text.length)
      // A broken escape in a key may throw; what it may not do is run for ever.
      try {
        expect(rawMembers(text).size).toBeLessThanOrEqual(text.length)
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(SyntaxError)
      }
    }
  })
})

describe('nesting', () => {
  test.each([
    ['at the limit is fine', 64, false],
    ['one deeper is not', 65, true],
    ['much deeper is not', 10_000, true],
  ])('%s', (_title, depth, deeper) => {
    expect(nestsDeeperThan('['.repeat(depth) + ']'.repeat(depth), 64)).toBe(deeper)
    expect(nestsDeeperThan(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`, 64)).toBe(deeper)
  })

  test('is counted by depth, not by how many brackets there are', () => {
    expect(nestsDeeperThan(`[${'[],'.repeat(1000)}[]]`, 64)).toBe(false)
  })

  test('does not count brackets inside of strings', () => {
    expect(nestsDeeperThan(`["${'['.repeat(500)}", "\\"${'{'.repeat(500)}"]`, 64)).toBe(false)
  })

  test('is seen in texts that are no JSON at all', () => {
    expect(nestsDeeperThan('['.repeat(100_000), 64)).toBe(true)
    expect(nestsDeeperThan(`"${'['.repeat(100_000)}`, 64)).toBe(false)
  })
})

function expectSameMembers(text: string): void {
  const parsed = JSON.parse(text) as Record<string, unknown>
  const members = rawMembers(text)
  expect([...members.keys()].sort()).toEqual(Object.keys(parsed).sort())
  for (const [key, raw] of members) {
    expect(JSON.parse(raw)).toEqual(Object.getOwnPropertyDescriptor(parsed, key)?.value)
  }
}

const WORDS = ['', 'id', 'a"b', '\\', '\\"', '\n', 'é', '😀', '\u2028', '{', ']', ',', ':', '  ']

function madeUpObject(chance: Chance, depth: number): Record<string, unknown> {
  const size = chance.between(0, 4)
  const entries = Array.from({ length: size }, () => [
    chance.pick(WORDS) + chance.pick(WORDS),
    madeUpValue(chance, depth - 1),
  ])
  return Object.fromEntries(entries)
}

function madeUpValue(chance: Chance, depth: number): unknown {
  const kind = chance.between(0, depth > 0 ? 6 : 4)
  if (kind === 0) return null
  if (kind === 1) return chance.fraction() < 0.5
  if (kind === 2) return chance.between(-1e9, 1e9)
  if (kind === 3) return chance.fraction() * 1e-7
  if (kind === 4) return chance.pick(WORDS) + chance.pick(WORDS)
  if (kind === 5)
    return Array.from({ length: chance.between(0, 4) }, () => madeUpValue(chance, depth - 1))
  return madeUpObject(chance, depth)
}

/** The same value in one of the many ways JSON lets it be written. */
function spelled(chance: Chance, value: unknown): string {
  const gap = () => chance.pick(['', '', ' ', '\n', '\t\r '])
  if (Array.isArray(value)) {
    return `[${gap()}${value.map((one) => spelled(chance, one) + gap()).join(`,${gap()}`)}]`
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([key, one]) => `${spelledText(chance, key)}${gap()}:${gap()}${spelled(chance, one)}${gap()}`,
    )
    return `{${gap()}${members.join(`,${gap()}`)}}`
  }
  return typeof value === 'string' ? spelledText(chance, value) : JSON.stringify(value)
}

function spelledText(chance: Chance, text: string): string {
  const units = Array.from({ length: text.length }, (_, at) => {
    const unit = text.charAt(at)
    if (chance.fraction() < 0.2) return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
    return JSON.stringify(unit).slice(1, -1)
  })
  return `"${units.join('')}"`
}
