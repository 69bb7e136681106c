import { keccak_256 } from '@noble/hashes/sha3.js'

const BLOB_TYPE = 3
const LIST_FROM = 0xc0
const LONG_LIST_FROM = 0xf7

/**
 * The hash a signed transaction will be known by; null when the text is none.
 * A blob transaction travels with its blobs, which are not part of its hash.
 */
export function transactionHash(raw: unknown): string | null {
  if (typeof raw !== 'string' || !/^0x(?:[0-9a-fA-F]{2})+$/.test(raw)) return null
  const bytes = Uint8Array.fromHex(raw.slice(2))
  const signed = bytes[0] === BLOB_TYPE ? withoutBlobs(bytes) : bytes
  return signed && `0x${keccak_256(signed).toHex()}`
}

function withoutBlobs(bytes: Uint8Array): Uint8Array | null {
  const outer = listAt(bytes, 1)
  if (!outer) return null
  const inner = listAt(bytes, outer.contentAt)
  // Without blobs the first item is the chain id, which is no list.
  if (!inner) return bytes
  const payload = bytes.subarray(outer.contentAt, inner.endAt)
  const signed = new Uint8Array(1 + payload.length)
  signed[0] = BLOB_TYPE
  signed.set(payload, 1)
  return signed
}

/** The places of the content and the end of the RLP list at `at`; null when there is none. */
function listAt(bytes: Uint8Array, at: number): { contentAt: number; endAt: number } | null {
  const first = bytes[at]
  if (first === undefined || first < LIST_FROM) return null
  if (first <= LONG_LIST_FROM) {
    return { contentAt: at + 1, endAt: at + 1 + first - LIST_FROM }
  }
  const lengthBytes = first - LONG_LIST_FROM
  let length = 0
  for (const byte of bytes.subarray(at + 1, at + 1 + lengthBytes)) length = length * 256 + byte
  const contentAt = at + 1 + lengthBytes
  return { contentAt, endAt: contentAt + length }
}
