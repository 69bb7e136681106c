import type { SolanaError } from '../account.ts'
import { decodeBase58 } from '../base58.ts'
import { quoted } from '../reply/node-values.ts'
import { invalidParams } from '../solana-error.ts'

/** The bytes of a memcmp filter as a caller gave them. */
export type Needle =
  | { form: 'base58' | 'base64'; text: string }
  | { form: 'raw'; bytes: Uint8Array }

const NEEDLE_BYTES_MAX = 128
/** 128 bytes of 255 take as many characters; more are refused unread. */
const BASE58_BYTES_MAX = 175
const BASE64_BYTES_MAX = 172

const BASE58_DIGITS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const BASE64_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const PAD = 61
const QUAD = 4

export function readNeedle(needle: Needle): Uint8Array | SolanaError {
  if (needle.form === 'raw') return bounded(needle.bytes)
  const textBytesMax = needle.form === 'base58' ? BASE58_BYTES_MAX : BASE64_BYTES_MAX
  // UTF-8 never has fewer bytes than the text has characters, so a long one is not encoded.
  if (needle.text.length > textBytesMax) return tooLarge()
  const text = new TextEncoder().encode(needle.text)
  if (text.length > textBytesMax) return tooLarge()

  if (needle.form === 'base58') {
    const flaw = base58Flaw(text)
    if (flaw !== null) return invalidParams(`Invalid param: Base58DecodeError(${flaw})`)
    return bounded(decodeBase58(needle.text) as Uint8Array)
  }
  const flaw = base64Flaw(text)
  if (flaw !== null) return invalidParams(`Invalid param: Base64DecodeError(${flaw})`)
  return bounded(new Uint8Array(Buffer.from(needle.text, 'base64')))
}

function bounded(bytes: Uint8Array): Uint8Array | SolanaError {
  return bytes.length > NEEDLE_BYTES_MAX ? tooLarge() : bytes
}

function tooLarge(): SolanaError {
  return invalidParams('Invalid param: DataTooLarge')
}

function base58Flaw(text: Uint8Array): string | null {
  for (const [index, code] of text.entries()) {
    if (code > 127) return `NonAsciiCharacter { index: ${index} }`
    const char = String.fromCharCode(code)
    if (!BASE58_DIGITS.includes(char)) {
      return `InvalidCharacter { character: ${quoted(char, "'")}, index: ${index} }`
    }
  }
  return null
}

/** Base64 has one spelling for a node: whole groups of four, padded, and no stray bits. */
function base64Flaw(text: Uint8Array): string | null {
  if (text.length === 0) return null
  const last = text.length - 1
  const stray = text[last] as number
  // A forgotten line break at the end is the first thing a node looks for.
  if (text.length % QUAD === 1 && stray !== PAD && base64Digit(stray) < 0) {
    return `InvalidByte(${last}, ${stray})`
  }
  const tail = last - (last % QUAD)
  for (let at = 0; at < tail; at++) {
    const code = text[at] as number
    if (base64Digit(code) < 0) return `InvalidByte(${at}, ${code})`
  }
  return base64TailFlaw(text, tail)
}

function base64TailFlaw(text: Uint8Array, tail: number): string | null {
  let digits = 0
  let lastDigit = 0
  let pads = 0
  for (let at = tail; at < text.length; at++) {
    const code = text[at] as number
    if (code === PAD) {
      if (at - tail < 2) return `InvalidByte(${at}, ${PAD})`
      pads++
      continue
    }
    if (pads > 0) return `InvalidByte(${at - pads}, ${PAD})`
    lastDigit = base64Digit(code)
    if (lastDigit < 0) return `InvalidByte(${at}, ${code})`
    digits++
  }
  if (digits < 2) return `InvalidLength(${tail + digits})`
  if ((digits + pads) % QUAD !== 0) return 'InvalidPadding'
  // Two digits carry 12 bits for one byte, three carry 18 for two: the rest must be zero.
  const strayBits = digits === 2 ? lastDigit & 15 : digits === 3 ? lastDigit & 3 : 0
  if (strayBits === 0) return null
  const at = tail + digits - 1
  return `InvalidLastSymbol(${at}, ${text[at]})`
}

function base64Digit(code: number): number {
  return BASE64_DIGITS.indexOf(String.fromCharCode(code))
}
