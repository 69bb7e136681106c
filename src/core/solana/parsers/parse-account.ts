import type { Account } from '../account.ts'
import { PROGRAM_KEYS, sameKey } from '../programs.ts'
import { parseAddressLookupTable } from './address-lookup-table.ts'
import { parseConfig } from './config.ts'
import { parseNonce } from './nonce.ts'
import type { ParseHelps } from './parse-helps.ts'
import { parseSplToken } from './spl-token.ts'
import { parseStake } from './stake.ts'
import { parseSysvar } from './sysvar.ts'
import { parseUpgradeableLoader } from './upgradeable-loader.ts'
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
