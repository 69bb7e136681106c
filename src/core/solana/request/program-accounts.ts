import { nestsDeeperThan, rawElements } from '../../json/json-scan.ts'
import { parseJson } from '../../json/json-value.ts'
import type {
  AccountEncoding,
  AccountFilter,
  Commitment,
  DataSlice,
  SolanaError,
} from '../account.ts'
import { decodeKey } from '../base58.ts'
import { isSequence, readString, refusal } from '../reply/node-values.ts'
import { invalidParams, isSolanaError, solanaError } from '../solana-error.ts'
import { filtersAsNodeRuns } from './filters-to-send.ts'
import { readConfig } from './read-config.ts'
import { verifyFilters } from './read-filters.ts'

/** A call that may run: whatever is refused for what it says has been refused. */
export type ProgramAccountsCall = {
  version: 1 | 2
  program: Uint8Array
  programText: string
  encoding: AccountEncoding
  dataSlice: DataSlice | null
  /** With what a node would add; `upstreamParams` leaves that out again. */
  filters: readonly AccountFilter[]
  commitment: Commitment
  minContextSlot: bigint | null
  withContext: boolean
  order: 'asc' | 'desc'
  limit: number
  pageKey: string | null
  changedSinceSlot: bigint | null
  sortResults: true
}

export type ProgramAccountsRules = {
  /** The meaning of an omitted encoding: ours, or a node's bare base-58 text. */
  defaultEncoding: 'json' | 'binary'
  pageLimit: number
}

/** Deeper than any params a node understands; a hostile one must not reach a stack's end. */
const DEPTH_MAX = 64

/** As much as a node takes for a whole request; what it understands fits in a tenth of it. */
const PARAMS_CHARS_MAX = 51_200

/** Two large providers give so many records a page to callers of V2, and at most so many. */
const V2_LIMIT_DEFAULT = 1_000
const V2_LIMIT_MAX = 10_000

const KEY_CHARS_MAX = 44
const KEY_CHARS = /^[1-9A-HJ-NP-Za-km-z]*$/

/** Reads the params of `getProgramAccounts`, with a node's own words where it refuses them. */
export function readProgramAccountsCall(
  paramsText: string,
  rules: ProgramAccountsRules,
  version: 1 | 2 = 1,
): ProgramAccountsCall | SolanaError {
  const params = readParams(paramsText)
  if (isSolanaError(params)) return params

  const programText = readString(params.program)
  if (isSolanaError(programText)) return programText

  const config = readConfig(params.config, version, version === 2 ? V2_LIMIT_MAX : rules.pageLimit)
  if (isSolanaError(config)) return config

  const program = readProgram(programText)
  if (isSolanaError(program)) return program

  const verified = verifyFilters(config.filters)
  if (isSolanaError(verified)) return verified

  const filters = filtersAsNodeRuns(programText, verified)
  if (isSolanaError(filters)) return filters

  const encoding = config.encoding ?? rules.defaultEncoding
  const limitAsked = config.limit ?? (version === 2 ? V2_LIMIT_DEFAULT : rules.pageLimit)
  return {
    ...config,
    version,
    program,
    programText,
    // A node has no such encoding; base64 is what ours gives under that name.
    encoding: encoding === 'json' ? 'base64' : encoding,
    filters,
    limit: Math.min(limitAsked, rules.pageLimit),
    sortResults: true,
  }
}

function readParams(text: string): { program: string; config: string | null } | SolanaError {
  if (text.length > PARAMS_CHARS_MAX) {
    return refusal(`params are longer than ${PARAMS_CHARS_MAX} characters`)
  }
  if (nestsDeeperThan(text, DEPTH_MAX)) return refusal('recursion limit exceeded')
  // Everything below trusts that the text is JSON; whoever hands it over may not have looked.
  if (parseJson(text) === undefined) return solanaError(-32700, 'Parse error')
  const params = text.trim()
  if (params !== 'null' && !isSequence(params)) return invalidParams('`params` should be an array')
  const elements = isSequence(params) ? rawElements(params) : []
  const [program, config = null] = elements
  if (program === undefined) {
    return invalidParams('`params` should have at least 1 argument(s)')
  }
  if (elements.length > 2) {
    const got = JSON.stringify(`"Got: ${elements.length}"`)
    return solanaError(-32602, 'Invalid parameters: Expected from 1 to 2 parameters.', got)
  }
  return { program, config: config === 'null' ? null : config }
}

function readProgram(text: string): Uint8Array | SolanaError {
  // A node counts the bytes of a text, not its characters.
  if (text.length > KEY_CHARS_MAX || Buffer.byteLength(text) > KEY_CHARS_MAX) return wrongSize()
  if (!KEY_CHARS.test(text)) return invalidParams('Invalid param: Invalid')
  return decodeKey(text) ?? wrongSize()
}

function wrongSize(): SolanaError {
  return invalidParams('Invalid param: WrongSize')
}
