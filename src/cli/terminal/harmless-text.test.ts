import { describe, expect, test } from 'bun:test'
import { columnsOf, cutText, harmlessJson, harmlessLine, harmlessText } from './harmless-text.ts'

const BELL = '\x07'

describe('text of others', () => {
  test.each([
    ['a sequence that clears the screen', '\x1b[2Jgone', '\\x1b[2Jgone'],
    ['its form in one character', '\x9b2Jgone', '\\x9b2Jgone'],
    ['a carriage return that overwrites the line', 'bad\rgood', 'bad\\x0dgood'],
    ['a backspace and a bell', `a\b${BELL}`, 'a\\x08\\x07'],
    ['an override of the direction', 'exe\u202etxt', 'exe\\u{202e}txt'],
    ['a space without a width', 'a\u200bb', 'a\\u{200b}b'],
    ['half a character', 'a\ud800b', 'a\\u{d800}b'],
    ['a separator of lines', 'a\u2028b', 'a\\u{2028}b'],
    ['a letter of nothing', 'a\u3164b', 'a\\u{3164}b'],
    ['a tag of plane 14', 'a\u{e0041}b', 'a\\u{e0041}b'],
    ['words of all kinds', 'né 日本 👩‍💻', 'né 日本 👩‍💻'],
  ])('is harmless: %s', (_what, text, shown) => {
    expect(harmlessText(text)).toBe(shown)
  })

  test('keeps its lines, except in a cell', () => {
    expect(harmlessText('a\n\tb')).toBe('a\n\tb')
    expect(harmlessLine('a\n\tb')).toBe('a  b')
  })

  test('is the same JSON as before, with escapes', () => {
    const value = { 'k\x9b': ['\x1b[2J', '\u202e', '\u{e0041}', 'né', '\x7f'] }
    const text = harmlessJson(JSON.stringify(value, null, 2))
    expect(JSON.parse(text)).toEqual(value)
    expect(/[^\n\x20-\x7eé]/.test(text)).toBe(false)
  })
})

describe('a cut', () => {
  test.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 5, 'abcd…'],
    ['日本語日本語', 7, '日本語…'],
    ['日本語日本語', 6, '日本…'],
    ['👩‍💻👩‍💻', 3, '👩‍💻…'],
    ['abc', 1, '…'],
  ] as const)('%s to %d columns is %s', (text, columns, cut) => {
    expect(cutText(text, columns)).toBe(cut)
    expect(columnsOf(cut)).toBeLessThanOrEqual(columns)
  })
})
