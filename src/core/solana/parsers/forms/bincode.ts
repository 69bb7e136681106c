import { encodeKey } from '../../base58.ts'

/**
 * Reads the runtime's own byte layout: little-endian numbers of fixed width, one after another.
 * Reading past the end never throws; it marks the input as failed and gives zeros, so that a
 * parser reads all its fields in one go and asks once, at the end, whether they were there.
 */
export type Bincode = ReturnType<typeof openBincode>

export const KEY_BYTES = 32

const NO_BYTES = new Uint8Array(0)

export function openBincode(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return { bytes, view, at: 0, failed: false }
}

export function readU8(input: Bincode): number {
  const at = take(input, 1)
  return at < 0 ? 0 : input.view.getUint8(at)
}

export function readU16(input: Bincode): number {
  const at = take(input, 2)
  return at < 0 ? 0 : input.view.getUint16(at, true)
}

export function readU32(input: Bincode): number {
  const at = take(input, 4)
  return at < 0 ? 0 : input.view.getUint32(at, true)
}

export function readU64(input: Bincode): bigint {
  const at = take(input, 8)
  return at < 0 ? 0n : input.view.getBigUint64(at, true)
}

export function readI64(input: Bincode): bigint {
  const at = take(input, 8)
  return at < 0 ? 0n : input.view.getBigInt64(at, true)
}

export function readU128(input: Bincode): bigint {
  const low = readU64(input)
  return low | (readU64(input) << 64n)
}

export function readF64(input: Bincode): number {
  const at = take(input, 8)
  return at < 0 ? 0 : input.view.getFloat64(at, true)
}

export function readBool(input: Bincode): boolean {
  const byte = readU8(input)
  if (byte > 1) input.failed = true
  return byte === 1
}

export function readBytes(input: Bincode, count: number): Uint8Array {
  const at = take(input, count)
  return at < 0 ? NO_BYTES : input.bytes.subarray(at, at + count)
}

/** The base-58 text of a key or a hash, in quotes. */
export function readKeyText(input: Bincode): string {
  const at = take(input, KEY_BYTES)
  return at < 0 ? '""' : `"${encodeKey(input.bytes.subarray(at, at + KEY_BYTES))}"`
}

export function readOption<Value>(input: Bincode, read: (input: Bincode) => Value): Value | null {
  return readBool(input) ? read(input) : null
}

/** How many items of so many bytes follow; a count that cannot be true fails at once. */
export function readCount(input: Bincode, itemBytes: number): number {
  const count = readU64(input)
  if (count <= BigInt(Math.floor(bytesLeft(input) / itemBytes))) return Number(count)
  input.failed = true
  return 0
}

export function readList<Item>(
  input: Bincode,
  itemBytes: number,
  readItem: (input: Bincode) => Item,
): Item[] {
  return Array.from({ length: readCount(input, itemBytes) }, () => readItem(input))
}

export function restOf(input: Bincode): Uint8Array {
  return input.bytes.subarray(input.at)
}

function bytesLeft(input: Bincode): number {
  return input.bytes.length - input.at
}

/** Where the next bytes begin, or -1 when they are not there. */
function take(input: Bincode, count: number): number {
  const at = input.at
  if (input.failed || count > bytesLeft(input)) {
    input.failed = true
    return -1
  }
  input.at = at + count
  return at
}
