import {
  INPUT_AT,
  INPUT_BLOCKS_MAX,
  openKeccakModule,
  RATE_BYTES,
  STATE_AT,
  STATE_BYTES,
} from './keccak-module.ts'

const HASH_BYTES = 32
const CHUNK_DIGITS = INPUT_BLOCKS_MAX * RATE_BYTES * 2

/** One to a thread: it keeps nothing from one hash to the next. */
const { memory, absorb } = openKeccakModule()
const input = memory.subarray(INPUT_AT)
const state = memory.subarray(STATE_AT, STATE_AT + STATE_BYTES)
const hash = memory.subarray(STATE_AT, STATE_AT + HASH_BYTES)

/** The Keccak-256 of bytes in hex digits, in digits. Throws a SyntaxError where they are none. */
export function keccakDigits(digits: string): string {
  state.fill(0)
  let at = 0
  for (; digits.length - at >= CHUNK_DIGITS; at += CHUNK_DIGITS) {
    input.setFromHex(digits.slice(at, at + CHUNK_DIGITS))
    absorb(INPUT_BLOCKS_MAX)
  }
  const { written } = input.setFromHex(at === 0 ? digits : digits.slice(at))
  const blocks = Math.floor(written / RATE_BYTES) + 1
  // Padded by a one, zeros and a one, the first bit of each byte being its lowest.
  input.fill(0, written, blocks * RATE_BYTES)
  input[written] = 0x01
  const last = blocks * RATE_BYTES - 1
  input[last] = (input[last] ?? 0) | 0x80
  absorb(blocks)
  return hash.toHex()
}
