import { describe, expect, test } from 'bun:test'
import { base58 } from '@scure/base'
import { seededChance } from '../../../tests/support/basics/seeded-chance.ts'
import { randomBytes } from '../../../tests/support/solana/account-bytes.ts'
import { decodeBase58, decodeKey, encodeBase58, encodeKey, readKey, writeKey } from './base58.ts'

const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const SYSTEM_PROGRAM = '1'.repeat(32)

/** The key whose number this is. */
function keyOfNumber(value: bigint): Uint8Array {
  return Uint8Array.fromHex(value.toString(16).padStart(64, '0'))
}

const POWERS_OF_58 = Array.from({ length: 44 }, (_, power) => 58n ** BigInt(power))

const EDGES: [string, Uint8Array][] = [
  ['zeros only', new Uint8Array(32)],
  ['ones only', new Uint8Array(32).fill(0xff)],
  ['the lowest bit', keyOfNumber(1n)],
  ['the highest bit', keyOfNumber(1n << 255n)],
  ['a zero at the end', new Uint8Array(32).fill(7).fill(0, 31)],
  ['every bit but the highest', keyOfNumber((1n << 255n) - 1n)],
]

describe('the text of a key', () => {
  test('is the one every Solana tool shows', () => {
    expect(encodeKey(new Uint8Array(32))).toBe(SYSTEM_PROGRAM)
    expect(encodeKey(base58.decode(TOKEN_PROGRAM))).toBe(TOKEN_PROGRAM)
  })

  test.each(EDGES)('goes there and back: %s', (_title, key) => {
    const text = base58.encode(key)
    expect(encodeKey(key)).toBe(text)
    expect(decodeKey(text)).toEqual(key)
  })

  test('goes there and back with any number of zeros in front', () => {
    for (let zeros = 0; zeros <= 32; zeros++) {
      for (const fill of [0x01, 0xff]) {
        const key = new Uint8Array(32).fill(fill).fill(0, 0, zeros)
        expect(encodeKey(key)).toBe(base58.encode(key))
        expect(decodeKey(base58.encode(key))).toEqual(key)
      }
    }
  })

  test('goes there and back around every power of 58, where digits carry', () => {
    for (const power of POWERS_OF_58) {
      for (const value of [power - 1n, power, power + 1n]) {
        const key = keyOfNumber(value)
        expect(encodeKey(key)).toBe(base58.encode(key))
        expect(decodeKey(base58.encode(key))).toEqual(key)
      }
    }
  })

  test('goes there and back for 5,000 random keys', () => {
    const chance = seededChance(58)
    for (let round = 0; round < 5_000; round++) {
      const key = randomBytes(chance, 32)
      const text = base58.encode(key)
      expect(encodeKey(key)).toBe(text)
      expect(decodeKey(text)).toEqual(key)
    }
  })

  test('is written where it belongs and nowhere else', () => {
    const key = base58.decode(TOKEN_PROGRAM)
    const out = new Uint8Array(64).fill(0x2e)
    const end = writeKey(key, out, 10)
    expect(Buffer.from(out).toString()).toBe(`..........${TOKEN_PROGRAM}${'.'.repeat(64 - end)}`)
    expect(end).toBe(10 + TOKEN_PROGRAM.length)
  })

  test('is read out of the middle of a body', () => {
    const body = Buffer.from(`{"pubkey":"${TOKEN_PROGRAM}"}`)
    expect(readKey(body, 11, 11 + TOKEN_PROGRAM.length)).toEqual(base58.decode(TOKEN_PROGRAM))
    expect(readKey(body, 10, 11 + TOKEN_PROGRAM.length)).toBeNull()
    expect(readKey(body, 12, 11 + TOKEN_PROGRAM.length)).toBeNull()
  })

  test('is never given for anything but 32 bytes', () => {
    for (const length of [0, 31, 33, 64]) {
      expect(() => encodeKey(new Uint8Array(length))).toThrow('a key has 32 bytes')
    }
  })
})

describe('a text that is no key', () => {
  test.each([
    ['nothing', ''],
    ['one 1 too few', '1'.repeat(31)],
    ['one 1 too many', '1'.repeat(33)],
    ['a 1 in front of a key', `1${TOKEN_PROGRAM}`],
    ['a key without its last digit', TOKEN_PROGRAM.slice(0, -1)],
    ['31 bytes', base58.encode(new Uint8Array(31).fill(0xff))],
    ['33 bytes', base58.encode(new Uint8Array(33).fill(1))],
    ['2^256', base58.encode(Uint8Array.fromHex(`01${'00'.repeat(32)}`))],
    ['the largest of 44 digits', 'z'.repeat(44)],
    ['45 digits', `${'2'.repeat(45)}`],
    ['white space around it', ` ${TOKEN_PROGRAM.slice(1)}`],
    ['a zero', TOKEN_PROGRAM.replace('T', '0')],
    ['a capital O', TOKEN_PROGRAM.replace('T', 'O')],
    ['a capital I', TOKEN_PROGRAM.replace('T', 'I')],
    ['a small l', TOKEN_PROGRAM.replace('T', 'l')],
    ['a letter of another script', TOKEN_PROGRAM.replace('T', 'Т')],
    ['a letter that ends in the byte of a digit', TOKEN_PROGRAM.replace('T', '\u0154')],
    ['a sign of two halves', TOKEN_PROGRAM.replace('To', '😀')],
    ['hex', 'ab'.repeat(20)],
    ['megabytes', 'A'.repeat(4_000_000)],
  ])('is refused: %s', (_title, text) => {
    expect(decodeKey(text)).toBeNull()
  })

  test('is refused with any character but the 58, wherever it stands', () => {
    for (let code = 0; code < 256; code++) {
      const char = String.fromCharCode(code)
      if (/[1-9A-HJ-NP-Za-km-z]/.test(char)) continue
      for (const at of [0, 1, 20, 42]) {
        const text = TOKEN_PROGRAM.slice(0, at) + char + TOKEN_PROGRAM.slice(at + 1)
        expect(decodeKey(text)).toBeNull()
        expect(readKey(Buffer.from(text, 'latin1'), 0, text.length)).toBeNull()
      }
    }
  })
})

describe('base 58 of any length', () => {
  test('goes there and back', () => {
    const chance = seededChance(59)
    for (const length of [0, 1, 2, 31, 33, 64, 127, 128]) {
      const bytes = randomBytes(chance, length)
      expect(decodeBase58(encodeBase58(bytes))).toEqual(bytes)
    }
    expect(encodeBase58(Uint8Array.of(0, 0, 1))).toBe('112')
    expect(decodeBase58('112')).toEqual(Uint8Array.of(0, 0, 1))
  })

  test.each([
    ['a letter that is left out', 'abcI'],
    ['white space', 'abc '],
    ['another script', 'абв'],
    ['a letter that ends in the byte of a digit', '\u0131'],
    ['more than anything on Solana is long', '2'.repeat(2_049)],
  ])('refuses %s', (_title, text) => {
    expect(decodeBase58(text)).toBeNull()
  })

  test('holds a transaction of the largest size', () => {
    const bytes = new Uint8Array(1_232).fill(0xff)
    expect(decodeBase58(encodeBase58(bytes))).toEqual(bytes)
  })
})
