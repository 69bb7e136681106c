/** Numbers and keys as programs write them: little-endian, one behind the other. */
export function bytesOf(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts))
}

export function u8(value: number): Uint8Array {
  return Uint8Array.of(value)
}

export function u16(value: number): Uint8Array {
  return new Uint8Array(Uint16Array.of(value).buffer)
}

export function u32(value: number): Uint8Array {
  return new Uint8Array(Uint32Array.of(value).buffer)
}

export function u64(value: bigint): Uint8Array {
  return new Uint8Array(BigUint64Array.of(value).buffer)
}
