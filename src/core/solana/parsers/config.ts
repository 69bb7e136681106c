import type { Account } from '../account.ts'
import {
  type Bincode,
  openBincode,
  readBool,
  readBytes,
  readCount,
  readKeyText,
  readU8,
} from './forms/bincode.ts'
import { parsedText, rewrittenJson } from './forms/parsed-text.ts'

/** The first key of an account that describes a validator; a node shows no other kind. */
const VALIDATOR_INFO_KEY = '"Va1idator1nfo111111111111111111111111111111"'

/** A short count takes 7 bits of each byte; its third byte has room for two more. */
const COUNT_BITS_PER_BYTE = 7
const COUNT_BYTES_MAX = 3
const COUNT_MAX = 65_535
const MORE_FOLLOWS = 0x80

/** A byte order mark is kept: a node refuses a document that begins with one. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The member `parsed` of what a validator says about itself; null for any other config. */
export function parseConfig({ data }: Account): string | null {
  const input = openBincode(data)
  const keys = readKeys(input)
  if (input.failed || keys[0]?.pubkey !== VALIDATOR_INFO_KEY) return null

  const text = readText(input)
  const configData = text === null ? null : rewrittenJson(text)
  if (configData === null) return null

  const keyTexts = keys.map(({ pubkey, signer }) => `{"pubkey":${pubkey},"signer":${signer}}`)
  const infoText = `{"configData":${configData},"keys":[${keyTexts.join()}]}`
  return parsedText('validatorInfo', infoText)
}

function readKeys(input: Bincode): { pubkey: string; signer: boolean }[] {
  const keys: { pubkey: string; signer: boolean }[] = []
  const count = readShortCount(input)
  while (keys.length < count && !input.failed) {
    keys.push({ pubkey: readKeyText(input), signer: readBool(input) })
  }
  return keys
}

/** Only the shortest form of a count is allowed, so no list has two texts. */
function readShortCount(input: Bincode): number {
  let count = 0
  for (let place = 0; place < COUNT_BYTES_MAX; place++) {
    const byte = readU8(input)
    count |= (byte & ~MORE_FOLLOWS) << (place * COUNT_BITS_PER_BYTE)
    if ((byte & MORE_FOLLOWS) !== 0) continue
    if ((byte === 0 && place > 0) || count > COUNT_MAX) break
    return count
  }
  input.failed = true
  return 0
}

function readText(input: Bincode): string | null {
  const bytes = readBytes(input, readCount(input, 1))
  if (input.failed) return null
  try {
    return utf8.decode(bytes)
  } catch {
    return null
  }
}
