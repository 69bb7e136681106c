import type { Account } from '../account.ts'
import { openBincode, readKeyText, readOption, readU32, readU64, restOf } from './forms/bincode.ts'
import { bareParsedText, parsedText } from './forms/parsed-text.ts'

/** The names of the states, each at its own number. */
const TYPES = ['uninitialized', 'buffer', 'program', 'programData'] as const

/** The member `parsed` of an account of the upgradeable loader; null when it holds no state. */
export function parseUpgradeableLoader({ data }: Account): string | null {
  const input = openBincode(data)
  const type = TYPES[readU32(input)]
  if (input.failed || type === undefined) return null

  if (type === 'uninitialized') return bareParsedText(type)
  if (type === 'program') {
    const programData = readKeyText(input)
    if (input.failed) return null
    return parsedText(type, `{"programData":${programData}}`)
  }

  const slotMember = type === 'programData' ? `,"slot":${readU64(input)}` : ''
  const authority = readOption(input, readKeyText)
  if (input.failed) return null

  // Without an authority the code begins 32 bytes later than what is shown: the bytes where the
  // authority would stand come first. A node does so, and clients expect its bytes.
  const code = `["${restOf(input).toBase64()}","base64"]`
  return parsedText(type, `{"authority":${authority},"data":${code}${slotMember}}`)
}
