import type { Account } from '../account.ts'
import {
  KEY_BYTES,
  openBincode,
  readBytes,
  readKeyText,
  readOption,
  readU8,
  readU32,
  readU64,
} from './forms/bincode.ts'
import { bareParsedText, parsedText } from './forms/parsed-text.ts'

const UNINITIALIZED = 0
const LOOKUP_TABLE = 1

/** The addresses begin here, whether the table has an authority or not. */
const META_BYTES = 56
const PADDING_BYTES = 2

export function parseAddressLookupTable({ data }: Account): string | null {
  const input = openBincode(data)
  const state = readU32(input)
  if (input.failed) return null

  if (state === UNINITIALIZED) return bareParsedText('uninitialized')
  if (state !== LOOKUP_TABLE) return null

  const deactivationSlot = readU64(input)
  const lastExtendedSlot = readU64(input)
  const startIndex = readU8(input)
  const authority = readOption(input, readKeyText)
  readBytes(input, PADDING_BYTES)
  if (input.failed || data.length < META_BYTES) return null

  const addresses = addressesText(data.subarray(META_BYTES))
  if (addresses === null) return null

  const authorityMember = authority === null ? '' : `"authority":${authority},`
  const slots = `"deactivationSlot":"${deactivationSlot}","lastExtendedSlot":"${lastExtendedSlot}"`
  const members = `"addresses":${addresses},${authorityMember}${slots}`
  return parsedText('lookupTable', `{${members},"lastExtendedSlotStartIndex":${startIndex}}`)
}

function addressesText(bytes: Uint8Array): string | null {
  if (bytes.length % KEY_BYTES !== 0) return null
  const input = openBincode(bytes)
  const count = bytes.length / KEY_BYTES
  return `[${Array.from({ length: count }, () => readKeyText(input)).join()}]`
}
