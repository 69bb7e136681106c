import { base58 } from '@scure/base'
import { assert } from '../errors.ts'

/** Keys, program ids and block hashes: 256 bits. */
const KEY_BYTES = 32

/** As many base-58 digits as 2^256 can have; a key of zeros has only 32. */
const KEY_CHARS_MAX = 44
const KEY_CHARS_MIN = 32

/**
 * Decoding costs the square of the length. Nothing on Solana is written in more: a transaction
 * of 1,232 bytes takes 1,683 characters.
 */
const TEXT_CHARS_MAX = 2_048

const ZERO_DIGIT = 49
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/*
 * A key is turned as 16 words of 16 bits into 9 limbs of five digits each, and back, by a table
 * of powers. A word times a limb takes 46 bits and sixteen such products 50: doubles hold every
 * sum exactly, so no big integer is needed, which is what makes this fast.
 */
const WORDS = 16
const WORD_SIZE = 65_536
const LIMBS = 9
const LIMB_DIGITS = 5
const LIMB_SIZE = 58 ** LIMB_DIGITS
const PAIR_SIZE = 58 ** 2

/** For each word of a key what one unit of it adds to each limb. */
const LIMBS_OF_WORD = powers(WORDS, 1n << 16n, LIMBS, BigInt(LIMB_SIZE))
/** For each limb of a key what one unit of it adds to each word. */
const WORDS_OF_LIMB = powers(LIMBS, BigInt(LIMB_SIZE), WORDS, 1n << 16n)

/** Before it a limb adds nothing. */
const FIRST_WORD_OF_LIMB = new Uint8Array(LIMBS).map((_, limb) =>
  WORDS_OF_LIMB.subarray(limb * WORDS, (limb + 1) * WORDS).findIndex((part) => part > 0),
)

const FIRST_OF_PAIR = new Uint8Array(PAIR_SIZE)
const SECOND_OF_PAIR = new Uint8Array(PAIR_SIZE)
for (let pair = 0; pair < PAIR_SIZE; pair++) {
  FIRST_OF_PAIR[pair] = ALPHABET.charCodeAt(Math.floor(pair / 58))
  SECOND_OF_PAIR[pair] = ALPHABET.charCodeAt(pair % 58)
}

const NO_DIGIT = 255
const DIGIT_OF_CHAR = new Uint8Array(256).fill(NO_DIGIT)
for (let digit = 0; digit < 58; digit++) DIGIT_OF_CHAR[ALPHABET.charCodeAt(digit)] = digit

const limbs = new Float64Array(LIMBS)
const words = new Float64Array(WORDS)
const digits = new Uint8Array(LIMBS * LIMB_DIGITS)
const keyText = new Uint8Array(KEY_CHARS_MAX)
const latin1 = new TextDecoder('latin1')

export function encodeKey(key: Uint8Array): string {
  return latin1.decode(keyText.subarray(0, writeKey(key, keyText, 0)))
}

/** Writes the text of a key of 32 bytes to `out` and returns where it ends. */
export function writeKey(key: Uint8Array, out: Uint8Array, at: number): number {
  assert(key.length === KEY_BYTES, 'a key has 32 bytes')
  sumLimbs(key)
  carryLimbs()
  writeDigits()
  let zeros = 0
  while (zeros < KEY_BYTES && key[zeros] === 0) zeros++
  let from = 0
  while (from < digits.length && digits[from] === ZERO_DIGIT) from++
  // Each zero byte in front is written as one digit of its own.
  from -= zeros
  let end = at
  while (from < digits.length) {
    out[end++] = digits[from++] as number
  }
  return end
}

/** The key that a text stands for; null when it is no base-58 text of 32 bytes. */
export function decodeKey(text: string): Uint8Array | null {
  if (text.length < KEY_CHARS_MIN || text.length > KEY_CHARS_MAX) return null
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code > 127) return null
    keyText[at] = code
  }
  return readKey(keyText, 0, text.length)
}

export function readKey(text: Uint8Array, from: number, to: number): Uint8Array | null {
  const length = to - from
  if (length < KEY_CHARS_MIN || length > KEY_CHARS_MAX) return null
  if (!sumWords(text, from, to)) return null
  const key = new Uint8Array(KEY_BYTES)
  let carry = 0
  for (let word = WORDS - 1; word >= 0; word--) {
    const sum = (words[word] as number) + carry
    carry = Math.floor(sum / WORD_SIZE)
    const value = sum - carry * WORD_SIZE
    key[2 * word] = value >> 8
    key[2 * word + 1] = value & 255
  }
  if (carry !== 0) return null
  // With one leading 1 more or less the text stands for another number of bytes.
  let zeros = 0
  while (zeros < KEY_BYTES && key[zeros] === 0) zeros++
  let ones = 0
  while (ones < length && text[from + ones] === ZERO_DIGIT) ones++
  return zeros === ones ? key : null
}

/** Bytes of any number as base-58 text; costs the square of it, so not for big data. */
export function encodeBase58(bytes: Uint8Array): string {
  return base58.encode(bytes)
}

/** The bytes a base-58 text stands for; null when it is none, or longer than any on Solana. */
export function decodeBase58(text: string): Uint8Array | null {
  if (text.length > TEXT_CHARS_MAX) return null
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code > 127 || DIGIT_OF_CHAR[code] === NO_DIGIT) return null
  }
  return base58.decode(text)
}

/** Written out limb by limb, with the sums in registers: twice as fast as a loop over an array. */
function sumLimbs(key: Uint8Array): void {
  const table = LIMBS_OF_WORD
  let l0 = 0
  let l1 = 0
  let l2 = 0
  let l3 = 0
  let l4 = 0
  let l5 = 0
  let l6 = 0
  let l7 = 0
  let l8 = 0
  for (let word = 0, row = 0; word < WORDS; word++, row += LIMBS) {
    const value = ((key[2 * word] as number) << 8) | (key[2 * word + 1] as number)
    l0 += value * (table[row] as number)
    l1 += value * (table[row + 1] as number)
    l2 += value * (table[row + 2] as number)
    l3 += value * (table[row + 3] as number)
    l4 += value * (table[row + 4] as number)
    l5 += value * (table[row + 5] as number)
    l6 += value * (table[row + 6] as number)
    l7 += value * (table[row + 7] as number)
    l8 += value * (table[row + 8] as number)
  }
  limbs[0] = l0
  limbs[1] = l1
  limbs[2] = l2
  limbs[3] = l3
  limbs[4] = l4
  limbs[5] = l5
  limbs[6] = l6
  limbs[7] = l7
  limbs[8] = l8
}

function carryLimbs(): void {
  for (let limb = LIMBS - 1; limb > 0; limb--) {
    const sum = limbs[limb] as number
    const carry = Math.floor(sum / LIMB_SIZE)
    limbs[limb] = sum - carry * LIMB_SIZE
    limbs[limb - 1] = (limbs[limb - 1] as number) + carry
  }
}

function writeDigits(): void {
  for (let limb = 0, at = 0; limb < LIMBS; limb++, at += LIMB_DIGITS) {
    const value = (limbs[limb] as number) | 0
    const upper = (value / PAIR_SIZE) | 0
    const first = (upper / PAIR_SIZE) | 0
    const middle = upper - first * PAIR_SIZE
    const last = value - upper * PAIR_SIZE
    digits[at] = SECOND_OF_PAIR[first] as number
    digits[at + 1] = FIRST_OF_PAIR[middle] as number
    digits[at + 2] = SECOND_OF_PAIR[middle] as number
    digits[at + 3] = FIRST_OF_PAIR[last] as number
    digits[at + 4] = SECOND_OF_PAIR[last] as number
  }
}

/** False when one of the characters is no digit. */
function sumWords(text: Uint8Array, from: number, to: number): boolean {
  words.fill(0)
  let at = from
  // The first limb is short by as much as the text is.
  let limb = LIMBS - Math.ceil((to - from) / LIMB_DIGITS)
  let limbEnd = to - (LIMBS - 1 - limb) * LIMB_DIGITS
  for (; limb < LIMBS; limb++) {
    let value = 0
    while (at < limbEnd) {
      const digit = DIGIT_OF_CHAR[text[at++] as number] as number
      if (digit === NO_DIGIT) return false
      value = value * 58 + digit
    }
    limbEnd += LIMB_DIGITS
    const row = limb * WORDS
    for (let word = FIRST_WORD_OF_LIMB[limb] as number; word < WORDS; word++) {
      words[word] = (words[word] as number) + value * (WORDS_OF_LIMB[row + word] as number)
    }
  }
  return true
}

/** Row by row the places of `from` written in the places of `to`, the highest first. */
function powers(rows: number, from: bigint, columns: number, to: bigint): Float64Array {
  const table = new Float64Array(rows * columns)
  for (let row = 0; row < rows; row++) {
    let rest = from ** BigInt(rows - 1 - row)
    for (let column = columns - 1; column >= 0; column--) {
      table[row * columns + column] = Number(rest % to)
      rest /= to
    }
    assert(rest === 0n, 'every place fits')
  }
  return table
}
