import type { Account } from '../src/core/solana/account.ts'

const KEY_BYTES = 32
/** The length of a token account's data. */
const DATA_BYTES = 165
const PREFIXES = 2 ** 32

/** Odd numbers that spread what they multiply over all 32 bits. */
const SPREAD = 0x9e3779b1
const SPREAD_TOO = 0x85ebca6b

/** A program for each count of accounts. */
export function sortedPrograms(counts: readonly number[]): { key: Uint8Array; count: number }[] {
  return counts.map((count, at) => ({ key: new Uint8Array(KEY_BYTES).fill(at + 7), count }))
}

/** The account of that place among so many; their keys ascend. */
export function accountAt(owner: Uint8Array, at: number, count: number): Account {
  const pubkey = new Uint8Array(KEY_BYTES)
  const prefix = Math.floor((at / count) * PREFIXES)
  const view = new DataView(pubkey.buffer)
  view.setUint32(0, prefix)
  for (let word = 4; word < KEY_BYTES; word += 4) view.setUint32(word, mixed(at + word))
  const data = new Uint8Array(DATA_BYTES)
  data.set(pubkey.subarray(4, 12), 32)
  data.set(pubkey.subarray(0, 16), 64)
  return {
    pubkey,
    owner,
    lamports: 2_039_280n + BigInt(at),
    rentEpoch: 18_446_744_073_709_551_615n,
    executable: false,
    data,
  }
}

function mixed(value: number): number {
  const once = Math.imul(value ^ (value >>> 15), SPREAD)
  return Math.imul(once ^ (once >>> 13), SPREAD_TOO) >>> 0
}
