import { randomBytes } from 'node:crypto'
import { assert } from '../../core/errors.ts'
import type { Entropy } from '../../ports/entropy.ts'

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** The largest multiple of 36 in a byte; the bytes from here on would favour the first letters. */
const FAIR_BYTE_END = 252

/** Far above any key or id; a larger request is a bug. */
const BYTES_MAX = 1_048_576

/** The operating system's randomness, fit for keys. */
export function systemEntropy(): Entropy {
  return { bytes, alphanumeric, fraction }
}

function bytes(length: number): Uint8Array {
  assert(Number.isInteger(length) && length >= 0 && length <= BYTES_MAX, 'a bounded length')
  return new Uint8Array(randomBytes(length))
}

function alphanumeric(length: number): string {
  assert(Number.isInteger(length) && length >= 0 && length <= BYTES_MAX, 'a bounded length')
  let text = ''
  // Each round keeps 63 of 64 bytes on average, so this ends after two rounds or three.
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < FAIR_BYTE_END) text += ALPHABET[byte % ALPHABET.length]
    }
  }
  return text
}

/** All 53 bits that a number between 0 and 1 can hold. */
function fraction(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2))
  return ((high >>> 5) * 2 ** 26 + (low >>> 6)) / 2 ** 53
}
