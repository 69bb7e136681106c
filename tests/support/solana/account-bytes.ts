import type { Account } from '../../../src/core/solana/account.ts'
import { decodeKey } from '../../../src/core/solana/base58.ts'
import type { Chance } from '../basics/seeded-chance.ts'

/** The numbers and keys of an account's data, each as the bytes the runtime writes for it. */

export const u8 = (value: number) => Uint8Array.of(value)
export const u16 = (value: number) => written(2, (view) => view.setUint16(0, value, true))
export const u32 = (value: number) => written(4, (view) => view.setUint32(0, value, true))
export const u64 = (value: bigint) => written(8, (view) => view.setBigUint64(0, value, true))
export const i64 = (value: bigint) => written(8, (view) => view.setBigInt64(0, value, true))
export const f64 = (value: number) => written(8, (view) => view.setFloat64(0, value, true))

export const zeros = (count: number) => new Uint8Array(count)

/** A key of 32 equal bytes. */
export const keyOf = (byte: number) => new Uint8Array(32).fill(byte)

export function addressKey(address: string): Uint8Array {
  const key = decodeKey(address)
  if (key === null) throw new Error(`${address} is no address`)
  return key
}

/** A text with the count of its bytes before it. */
export function text(value: string): Uint8Array {
  const bytes = new TextEncoder().encode(value)
  return joined(u64(BigInt(bytes.length)), bytes)
}

export function joined(...parts: Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts))
}

export function randomBytes(chance: Chance, count: number): Uint8Array {
  return Uint8Array.from({ length: count }, () => chance.between(0, 255))
}

/** The data lies in the middle of a larger buffer, as it does when it was cut out of a body. */
export function accountOf(data: Uint8Array, overrides: Partial<Account> = {}): Account {
  const room = new Uint8Array(data.length + 8).fill(0xee)
  room.set(data, 4)
  return {
    pubkey: keyOf(9),
    owner: keyOf(8),
    lamports: 1n,
    rentEpoch: 0n,
    executable: false,
    data: room.subarray(4, 4 + data.length),
    ...overrides,
  }
}

/** JSON with whole numbers as bigints, so that no digit is lost before it is compared. */
export function exactly(jsonText: string | null): unknown {
  if (jsonText === null) return null
  const exactJson = JSON as unknown as {
    parse(text: string, revive: (name: string, value: unknown, context: Source) => unknown): unknown
  }
  return exactJson.parse(jsonText, (_name, value, { source }) =>
    typeof value === 'number' && /^-?\d+$/.test(source) ? BigInt(source) : value,
  )
}

type Source = { source: string }

function written(bytes: number, write: (view: DataView) => void): Uint8Array {
  const view = new DataView(new ArrayBuffer(bytes))
  write(view)
  return new Uint8Array(view.buffer)
}
