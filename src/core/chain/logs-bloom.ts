import { keccak_256 } from '@noble/hashes/sha3.js'
import { openTwoGenerationMap, type TwoGenerationMap } from '../two-generation-map.ts'

/** The three bits that stand for a key in a bloom, 11 bits each. */
type Bits = number

export const BLOOM_BYTES = 256

const BIT_MASK = 2047
const BIT_BASE = 2048

/** Room for what recurs within minutes: tokens, routers, event signatures. About 5 MB in all. */
const KEYS_KEPT_MAX = 20_000

/** Remembered hashes of keys. They change how long an answer takes, never the answer. */
export type BloomBits = TwoGenerationMap<string, Bits>

export function openBloomBits(): BloomBits {
  return openTwoGenerationMap({ weightMax: KEYS_KEPT_MAX })
}

/** Adds an address or a topic, in lower-case hex. */
export function addToBloom(bloom: Uint8Array, key: string, known: BloomBits): void {
  const bits = bitsOf(key, known)
  setBit(bloom, bits & BIT_MASK)
  setBit(bloom, Math.floor(bits / BIT_BASE) & BIT_MASK)
  setBit(bloom, Math.floor(bits / (BIT_BASE * BIT_BASE)))
}

/** False when a key, an address or a topic in lower-case hex, was never added. */
export function inBloom(bloom: Uint8Array, key: string, known: BloomBits): boolean {
  const bits = bitsOf(key, known)
  return (
    hasBit(bloom, bits & BIT_MASK) &&
    hasBit(bloom, Math.floor(bits / BIT_BASE) & BIT_MASK) &&
    hasBit(bloom, Math.floor(bits / (BIT_BASE * BIT_BASE)))
  )
}

export function mergeBloom(whole: Uint8Array, part: Uint8Array): void {
  for (let at = 0; at < BLOOM_BYTES; at++) whole[at] = (whole[at] ?? 0) | (part[at] ?? 0)
}

export function bloomWithin(part: Uint8Array, whole: Uint8Array): boolean {
  for (let at = 0; at < BLOOM_BYTES; at++) {
    if (((part[at] ?? 0) & ~(whole[at] ?? 0)) !== 0) return false
  }
  return true
}

export function sameBloom(one: Uint8Array, other: Uint8Array): boolean {
  return bloomWithin(one, other) && bloomWithin(other, one)
}

export function isZeroBloom(bloom: Uint8Array): boolean {
  return bloom.every((byte) => byte === 0)
}

function setBit(bloom: Uint8Array, bit: number): void {
  const at = BLOOM_BYTES - 1 - (bit >> 3)
  bloom[at] = (bloom[at] ?? 0) | (1 << (bit & 7))
}

function hasBit(bloom: Uint8Array, bit: number): boolean {
  return ((bloom[BLOOM_BYTES - 1 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0
}

function bitsOf(key: string, known: BloomBits): Bits {
  const remembered = known.get(key)
  if (remembered !== undefined) return remembered
  const bits = hashedBits(key)
  known.set(key, bits)
  return bits
}

function hashedBits(key: string): Bits {
  const hash = keccak_256(Uint8Array.fromHex(key.slice(2)))
  const pair = (at: number) => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & BIT_MASK
  return pair(0) + pair(2) * BIT_BASE + pair(4) * BIT_BASE * BIT_BASE
}
