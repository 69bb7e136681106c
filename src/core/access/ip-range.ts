import { parseIpAddress } from '../delivery/ip-address.ts'

export type IpRange = { bytes: Uint8Array; bits: number }

const V4_BYTES = 4
const V6_BYTES = 16

/** An IPv4 address written as one of IPv6 begins with `::ffff:0:0/96`. */
const MAPPED_BITS = 96

const RANGE = /^([^/]+)(?:\/(0|[1-9]\d{0,2}))?$/

/** An address, or a range in CIDR form; null for everything else. Later bits are cleared. */
export function parseIpRange(text: string): IpRange | null {
  const [, address = '', bitsText] = RANGE.exec(text) ?? []
  const written = parseIpAddress(address)
  if (!written) return null
  const writtenBits = bitsText === undefined ? written.length * 8 : Number(bitsText)
  if (writtenBits > written.length * 8) return null

  const isMapped = unmapped(written) !== written && writtenBits >= MAPPED_BITS
  const bytes = isMapped ? unmapped(written) : written
  const bits = isMapped ? writtenBits - MAPPED_BITS : writtenBits
  return { bytes: bytes.map((byte, at) => byte & maskOf(bits - at * 8)), bits }
}

/** The usual text of a range; a single address carries no number of bits. */
export function ipRangeText({ bytes, bits }: IpRange): string {
  const address = bytes.length === V4_BYTES ? bytes.join('.') : v6Text(bytes)
  return bits === bytes.length * 8 ? address : `${address}/${bits}`
}

/** The bytes of a client's address, of IPv4 also where a socket shows it as one of IPv6. */
export function clientAddressBytes(text: string): Uint8Array | null {
  const zone = text.indexOf('%')
  const bytes = parseIpAddress(zone < 0 ? text : text.slice(0, zone))
  return bytes && unmapped(bytes)
}

export function isInRange(address: Uint8Array, { bytes, bits }: IpRange): boolean {
  if (address.length !== bytes.length) return false
  for (let at = 0; at * 8 < bits; at++) {
    if (((address[at] ?? 0) & maskOf(bits - at * 8)) !== bytes[at]) return false
  }
  return true
}

/** The mask of a byte of which so many bits count. */
function maskOf(bits: number): number {
  if (bits >= 8) return 0xff
  return bits <= 0 ? 0 : (0xff << (8 - bits)) & 0xff
}

function unmapped(bytes: Uint8Array): Uint8Array {
  const isMapped =
    bytes.length === V6_BYTES &&
    bytes[10] === 0xff &&
    bytes[11] === 0xff &&
    bytes.subarray(0, 10).every((byte) => byte === 0)
  return isMapped ? bytes.slice(12) : bytes
}

/** By RFC 5952, which is how URLs write it. */
function v6Text(bytes: Uint8Array): string {
  const groups: string[] = []
  for (let at = 0; at < V6_BYTES; at += 2) {
    groups.push((((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)).toString(16))
  }
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}
