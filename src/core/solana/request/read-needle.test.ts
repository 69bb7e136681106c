import { describe, expect, test } from 'bun:test'
import { encodeBase58 } from '../base58.ts'
import { readNeedle } from './read-needle.ts'

const TOO_LARGE = { code: -32602, message: 'Invalid param: DataTooLarge', dataText: null }

describe('bytes to compare in base-58', () => {
  test.each([
    ['I', "InvalidCharacter { character: 'I', index: 0 }"],
    ['11 1', "InvalidCharacter { character: ' ', index: 2 }"],
    ["1'", "InvalidCharacter { character: '\\'', index: 1 }"],
    ['"', "InvalidCharacter { character: '\"', index: 0 }"],
    ['\\', "InvalidCharacter { character: '\\\\', index: 0 }"],
    ['1\n', "InvalidCharacter { character: '\\n', index: 1 }"],
    ['\0', "InvalidCharacter { character: '\\0', index: 0 }"],
    ['\x7f', "InvalidCharacter { character: '\\u{7f}', index: 0 }"],
    ['12é', 'NonAsciiCharacter { index: 2 }'],
    ['\ud800', 'NonAsciiCharacter { index: 0 }'],
  ])('%j is refused', (text, flaw) => {
    expect(readNeedle({ form: 'base58', text })).toHaveProperty(
      'message',
      `Invalid param: Base58DecodeError(${flaw})`,
    )
  })

  test('none, one and 128 bytes are taken, 129 are not', () => {
    expect(readNeedle({ form: 'base58', text: '' })).toEqual(new Uint8Array())
    expect(readNeedle({ form: 'base58', text: '1' })).toEqual(new Uint8Array(1))
    const most = new Uint8Array(128).fill(255)
    expect(readNeedle({ form: 'base58', text: encodeBase58(most) })).toEqual(most)
    const zeros = '1'.repeat(128)
    expect(readNeedle({ form: 'base58', text: zeros })).toEqual(new Uint8Array(128))
    expect(readNeedle({ form: 'base58', text: `${zeros}1` })).toEqual(TOO_LARGE)
    const least129 = Uint8Array.of(1, ...new Uint8Array(128))
    expect(readNeedle({ form: 'base58', text: encodeBase58(least129) })).toEqual(TOO_LARGE)
  })

  test('a text too long for 128 bytes is refused unread', () => {
    expect(readNeedle({ form: 'base58', text: '0'.repeat(176) })).toEqual(TOO_LARGE)
    expect(readNeedle({ form: 'base58', text: 'é'.repeat(88) })).toEqual(TOO_LARGE)
    expect(readNeedle({ form: 'base58', text: 'z'.repeat(1_000_000) })).toEqual(TOO_LARGE)
  })
})

describe('bytes to compare in base64', () => {
  test.each([
    ['!', 'InvalidByte(0, 33)'],
    ['AAAA\n', 'InvalidByte(4, 10)'],
    ['AA-_', 'InvalidByte(2, 45)'],
    ['AA=A', 'InvalidByte(2, 61)'],
    ['A===', 'InvalidByte(1, 61)'],
    ['====', 'InvalidByte(0, 61)'],
    ['AA==AAAA', 'InvalidByte(2, 61)'],
    ['AA====', 'InvalidByte(2, 61)'],
    ['AAé', 'InvalidByte(2, 195)'],
    ['AAAé', 'InvalidByte(4, 169)'],
    ['A', 'InvalidLength(1)'],
    ['AAAAA', 'InvalidLength(5)'],
    ['AA', 'InvalidPadding'],
    ['AAA', 'InvalidPadding'],
    ['AA=', 'InvalidPadding'],
    ['AB==', 'InvalidLastSymbol(1, 66)'],
    ['AAB=', 'InvalidLastSymbol(2, 66)'],
  ])('%j is refused', (text, flaw) => {
    expect(readNeedle({ form: 'base64', text })).toHaveProperty(
      'message',
      `Invalid param: Base64DecodeError(${flaw})`,
    )
  })

  test('every number of bytes up to 128 is taken, 129 are not', () => {
    for (let length = 0; length <= 128; length++) {
      const bytes = Uint8Array.from({ length }, (_, at) => (at * 37 + length) & 255)
      const text = Buffer.from(bytes).toString('base64')
      expect(readNeedle({ form: 'base64', text })).toEqual(bytes)
    }
    const text = Buffer.alloc(129).toString('base64')
    expect(readNeedle({ form: 'base64', text })).toEqual(TOO_LARGE)
    expect(readNeedle({ form: 'base64', text: '!'.repeat(173) })).toEqual(TOO_LARGE)
  })
})

test('of a list of bytes 128 are taken, 129 are not', () => {
  const most = new Uint8Array(128).fill(9)
  expect(readNeedle({ form: 'raw', bytes: most })).toEqual(most)
  expect(readNeedle({ form: 'raw', bytes: new Uint8Array(129) })).toEqual(TOO_LARGE)
})
