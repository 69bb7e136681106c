import type { Account } from '../account.ts'
import { PROGRAM_KEYS, sameKey } from '../programs.ts'
import { parseAddressLookupTable } from './address-lookup-table.ts'
import { parseConfig } from './config.ts'
import { openBincode, readKeyText, readOption, readU32, readU64, restOf } from './forms/bincode.ts'
import { bareParsedText, parsedText } from './forms/parsed-text.ts'
import type { ParseHelps } from './parse-helps.ts'
import { parseSplToken } from './spl-token.ts'
import { parseStake } from './stake.ts'
import { parseSysvar } from './sysvar.ts'
import { parseVote } from './vote.ts'

type Parser = {
  owner: Uint8Array
  /** The name that clients know the program by. */
  program: string
  /** The text of the member `parsed`. */
  parse: (account: Account, helps: ParseHelps) => string | null
}

/** The programs with the most accounts stand first. */
const PARSERS: readonly Parser[] = [
  parser('splToken', 'spl-token', parseSplToken),
  parser('splToken2022', 'spl-token-2022', parseSplToken),
  parser('system', 'nonce', parseNonce),
  parser('stake', 'stake', parseStake),
  parser('addressLookupTable', 'address-lookup-table', parseAddressLookupTable),
  parser('upgradeableLoader', 'bpf-upgradeable-loader', parseUpgradeableLoader),
  parser('vote', 'vote', parseVote),
  parser('config', 'config', parseConfig),
  parser('sysvar', 'sysvar', parseSysvar),
]

const NONCE_VERSION_MAX = 1
const NONCE_INITIALIZED = 1

/** The names of the states of the upgradeable loader, each at its own number. */
const LOADER_TYPES = ['uninitialized', 'buffer', 'program', 'programData'] as const

/**
 * An account's data in the shape that the newest node gives to `jsonParsed`, as JSON text
 * `{"parsed":…,"program":…,"space":…}`; null when its owner is not known or its bytes are not
 * what the owner writes.
 */
export function parseAccount(account: Account, helps: ParseHelps): string | null {
  const found = PARSERS.find(({ owner }) => sameKey(owner, account.owner))
  if (!found) return null

  const parsed = found.parse(account, helps)
  if (parsed === null) return null

  return `{"parsed":${parsed},"program":"${found.program}","space":${account.data.length}}`
}

function parser(owner: keyof typeof PROGRAM_KEYS, program: string, parse: Parser['parse']): Parser {
  return { owner: PROGRAM_KEYS[owner], program, parse }
}

/**
 * The member `parsed` of a nonce account. An uninitialised one cannot be told from any other
 * account of the system program, so it stays unparsed, as a node leaves it.
 */
export function parseNonce({ data }: Account): string | null {
  const input = openBincode(data)
  const version = readU32(input)
  const state = readU32(input)
  if (input.failed || version > NONCE_VERSION_MAX || state !== NONCE_INITIALIZED) return null

  const authority = readKeyText(input)
  const blockhash = readKeyText(input)
  const lamportsPerSignature = readU64(input)
  if (input.failed) return null

  const feeCalculator = `{"lamportsPerSignature":"${lamportsPerSignature}"}`
  const members = `"authority":${authority},"blockhash":${blockhash}`
  return parsedText('initialized', `{${members},"feeCalculator":${feeCalculator}}`)
}

export function parseUpgradeableLoader({ data }: Account): string | null {
  const input = openBincode(data)
  const type = LOADER_TYPES[readU32(input)]
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
