import {
  type Bincode,
  KEY_BYTES,
  openBincode,
  readBytes,
  readKeyText,
  readU32,
} from './forms/bincode.ts'
import { optionalKeyText } from './forms/state-layout.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The one extension whose length varies: two keys, three texts and a list of pairs of texts. Room
 * left over behind them is no fault.
 */
export function tokenMetadata(
  data: Uint8Array,
  _view: DataView,
  at: number,
  length: number,
): string | null {
  const input = openBincode(data.subarray(at, at + length))
  readBytes(input, KEY_BYTES)
  const mint = readKeyText(input)
  const name = readText(input)
  const symbol = readText(input)
  const uri = readText(input)
  const pairs = readPairs(input)
  if (input.failed) return null

  const updateAuthority = optionalKeyText(data, at)
  const texts = `"name":${name},"symbol":${symbol}`
  const keys = `"updateAuthority":${updateAuthority},"uri":${uri}`
  return `{"additionalMetadata":[${pairs.join(',')}],"mint":${mint},${texts},${keys}}`
}

/** A false count ends with the data: each pair takes eight bytes at least. */
function readPairs(input: Bincode): string[] {
  const count = readU32(input)
  const pairs: string[] = []
  while (pairs.length < count && !input.failed) {
    const key = readText(input)
    pairs.push(`[${key},${readText(input)}]`)
  }
  return pairs
}

/** JSON text of a text. One that is not UTF-8 fails the extension, as it does for the node. */
function readText(input: Bincode): string {
  const bytes = readBytes(input, readU32(input))
  try {
    return JSON.stringify(utf8.decode(bytes))
  } catch {
    input.failed = true
    return '""'
  }
}
