/** Two secret words, without which nobody can choose keys that collide. */
export type KeySeed = readonly [number, number]

/** A seed for where secrecy does not matter, as in tests. */
export const PUBLIC_SEED: KeySeed = [0x243f6a88, 0x85a308d3]

export const ADDRESS_WORDS = 5
export const BYTES32_WORDS = 8

const ADDRESS_CHARS = 42
const BYTES32_CHARS = 66

/** Value of a hex digit by its char code; 16 for any other character. */
const DIGITS = new Uint8Array(256).fill(16)
for (let digit = 0; digit < 16; digit++) {
  DIGITS[digit.toString(16).charCodeAt(0)] = digit
  DIGITS[digit.toString(16).toUpperCase().charCodeAt(0)] = digit
}

/**
 * The words of the key read last. One array serves all readers: a key is read and used at
 * once, a million times in a row, and an array for each would be most of the work.
 */
export const KEY_WORDS = new Uint32Array(BYTES32_WORDS)

/** Reads a key into KEY_WORDS and returns its number of words; 0 when it is no key. */
export function readKey(key: string): number {
  if (key.length !== ADDRESS_CHARS && key.length !== BYTES32_CHARS) return 0
  const words = (key.length - 2) >> 3
  let bad = 0
  let place = 2
  for (let at = 0; at < words; at++) {
    let word = 0
    for (const end = place + 8; place < end; place++) {
      const code = key.charCodeAt(place)
      const digit = code < 256 ? DIGITS[code]! : 16
      bad |= digit
      word = (word << 4) | (digit & 15)
    }
    KEY_WORDS[at] = word
  }
  return bad > 15 ? 0 : words
}

/**
 * HalfSipHash-1-3 of the key read last. A keyed hash, since customers choose their
 * keys freely: with plain mixing they could fill one slot's chain at will. Never 0,
 * which marks a free slot.
 */
export function hashReadKey(words: number, seed: KeySeed): number {
  let v0 = seed[0] | 0
  let v1 = seed[1] | 0
  let v2 = 0x6c796765 ^ v0
  let v3 = 0x74656462 ^ v1
  const rounds = words + 4
  for (let round = 0; round < rounds; round++) {
    const word = round < words ? KEY_WORDS[round]! | 0 : round === words ? words << 26 : 0
    if (round === words + 1) v2 ^= 0xff
    v3 ^= word
    v0 = (v0 + v1) | 0
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
    v0 = (v0 << 16) | (v0 >>> 16)
    v2 = (v2 + v3) | 0
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
    v0 = (v0 + v3) | 0
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
    v2 = (v2 + v1) | 0
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
    v2 = (v2 << 16) | (v2 >>> 16)
    v0 ^= word
  }
  return (v1 ^ v3) >>> 0 || 1
}
