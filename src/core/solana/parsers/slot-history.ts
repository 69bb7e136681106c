import { type Bincode, readBool, readBytes, readCount, readU64 } from './forms/bincode.ts'

/** How many slots the history covers, one bit each. */
const SLOTS = 1024 * 1024
const BITS_PER_BYTE = 8
const BYTES_PER_BLOCK = 8

/** Each byte as eight digits, its lowest bit first. */
const BYTE_DIGITS = Array.from({ length: 256 }, (_, byte) =>
  [...byte.toString(2).padStart(BITS_PER_BYTE, '0')].reverse().join(''),
)

/** The history as a text of a million digits, the way a node sends it. */
export function slotHistoryText(input: Bincode): string {
  const blockCount = readBool(input) ? readCount(input, BYTES_PER_BLOCK) : 0
  const bytes = readBytes(input, blockCount * BYTES_PER_BLOCK)
  const bitCount = readU64(input)
  const nextSlot = readU64(input)
  if (bitCount < BigInt(SLOTS) || bytes.length * BITS_PER_BYTE < SLOTS) input.failed = true
  if (input.failed) return ''

  return `{"bits":"${digitsOf(bytes.subarray(0, SLOTS / BITS_PER_BYTE))}","nextSlot":${nextSlot}}`
}

function digitsOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => BYTE_DIGITS[byte]).join('')
}
