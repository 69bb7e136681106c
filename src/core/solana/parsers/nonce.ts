import type { Account } from '../account.ts'
import { openBincode, readKeyText, readU32, readU64 } from './forms/bincode.ts'
import { parsedText } from './forms/parsed-text.ts'

const VERSION_MAX = 1
const INITIALIZED = 1

/**
 * The member `parsed` of a nonce account. An uninitialised one cannot be told from any other
 * account of the system program, so it stays unparsed, as a node leaves it.
 */
export function parseNonce({ data }: Account): string | null {
  const input = openBincode(data)
  const version = readU32(input)
  const state = readU32(input)
  if (input.failed || version > VERSION_MAX || state !== INITIALIZED) return null

  const authority = readKeyText(input)
  const blockhash = readKeyText(input)
  const lamportsPerSignature = readU64(input)
  if (input.failed) return null

  const feeCalculator = `{"lamportsPerSignature":"${lamportsPerSignature}"}`
  const members = `"authority":${authority},"blockhash":${blockhash}`
  return parsedText('initialized', `{${members},"feeCalculator":${feeCalculator}}`)
}
