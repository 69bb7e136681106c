/** Longest text of an address: eight groups, the last two as an IPv4 address. */
const TEXT_LENGTH_MAX = 45

const OCTET = /^(?:0|[1-9]\d{0,2})$/
const GROUP = /^[0-9a-fA-F]{1,4}$/
const V4_BYTES = 4
const V6_BYTES = 16

/**
 * The bytes of an address, 4 or 16 of them; null for everything that is not exactly one.
 * Strict on purpose: octal, hex and short IPv4 forms, zones and brackets mean different things
 * to different readers, so they mean nothing here.
 */
export function parseIpAddress(text: string): Uint8Array | null {
  if (text.length > TEXT_LENGTH_MAX) return null
  return text.includes(':') ? parseV6(text) : parseV4(text)
}

function parseV4(text: string): Uint8Array | null {
  const parts = text.split('.')
  if (parts.length !== V4_BYTES) return null
  if (!parts.every((part) => OCTET.test(part) && Number(part) <= 255)) return null
  return Uint8Array.from(parts, Number)
}

function parseV6(text: string): Uint8Array | null {
  const halves = text.split('::')
  if (halves.length > 2) return null
  const [head, tail] = halves
  const front = bytesOfGroups(head ?? '', tail === undefined)
  const back = bytesOfGroups(tail ?? '', true)
  if (!front || !back) return null

  const missing = V6_BYTES - front.length - back.length
  // The colons stand for at least one group; without them all groups are there.
  const complete = tail === undefined ? missing === 0 : missing >= 2
  if (!complete) return null
  return Uint8Array.from([...front, ...new Uint8Array(missing), ...back])
}

/** The bytes of groups between colons, the last two of which may be an IPv4 address. */
function bytesOfGroups(text: string, isLast: boolean): number[] | null {
  if (text === '') return []
  const groups = text.split(':')
  const bytes: number[] = []
  for (const [at, group] of groups.entries()) {
    const dotted = isLast && at === groups.length - 1 && group.includes('.')
    if (dotted) {
      const v4 = parseV4(group)
      if (!v4) return null
      bytes.push(...v4)
      continue
    }
    if (!GROUP.test(group)) return null
    const value = Number.parseInt(group, 16)
    bytes.push(value >> 8, value & 0xff)
  }
  return bytes.length > V6_BYTES ? null : bytes
}
