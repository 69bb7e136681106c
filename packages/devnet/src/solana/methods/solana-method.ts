import { rawElements, rawMembers } from '../../../../../src/core/json/json-scan.ts'
import type { Commitment, SolanaError } from '../../../../../src/core/solana/account.ts'
import { decodeKey } from '../../../../../src/core/solana/base58.ts'
import {
  isMap,
  isSequence,
  readString,
  wrongType,
} from '../../../../../src/core/solana/reply/node-values.ts'
import {
  type ProgramAccountsConfig,
  readConfig,
} from '../../../../../src/core/solana/request/read-config.ts'
import {
  invalidParams,
  isSolanaError,
  minContextSlotError,
  solanaError,
} from '../../../../../src/core/solana/solana-error.ts'
import type { SolanaChain } from '../solana-chain.ts'

/** The raw texts of a call's params. */
export type Params = readonly string[]

/** One method of a node: how many params it takes, and its answer as JSON text. */
export type LedgerMethod = {
  min: number
  max: number
  answer(chain: SolanaChain, params: Params): string | SolanaError
}

export type MethodTable = Readonly<Record<string, LedgerMethod>>

/** The basis of an answer: the caller's config, and the slot that goes with it. */
export type Moment = { config: ProgramAccountsConfig; slot: number }

/** The version of the node's software that the machine is made of. */
export const API_VERSION = '4.1.0'

/** The first four bytes of a digest over the features of the node, here of all. */
export const FEATURE_SET = 1_725_507_508

const KEY_CHARS_MAX = 44
const BASE58_CHARS = /^[1-9A-HJ-NP-Za-km-z]*$/

/** Answers one call, or refuses it for the number of its params. */
export function answerOf(
  method: LedgerMethod,
  chain: SolanaChain,
  paramsText: string,
): string | SolanaError {
  if (paramsText !== 'null' && !isSequence(paramsText)) {
    return invalidParams('`params` should be an array')
  }
  const params = isSequence(paramsText) ? rawElements(paramsText) : []
  const { min, max } = method
  if (max === 0 && params.length > 0) return invalidParams('No parameters were expected')
  if (params.length < min) {
    return invalidParams(`\`params\` should have at least ${min} argument(s)`)
  }
  if (params.length > max) {
    const got = JSON.stringify(`"Got: ${params.length}"`)
    const words = `Invalid parameters: Expected from ${min} to ${max} parameters.`
    return solanaError(-32602, words, got)
  }
  return method.answer(chain, params)
}

/** Reads the config at the end of the params and finds the slot that it asks for. */
export function momentOf(
  chain: SolanaChain,
  configText: string | undefined,
  preset: Commitment = 'finalized',
): Moment | SolanaError {
  const given = configText === undefined || configText === 'null' ? null : configText
  const config = readConfig(given, 1)
  if (isSolanaError(config)) return config
  const commitment = isSet(given, 'commitment') ? config.commitment : preset
  const slot = chain.slots.slotAt(commitment)
  const { minContextSlot } = config
  if (minContextSlot !== null && minContextSlot > BigInt(slot)) {
    return minContextSlotError(BigInt(slot))
  }
  return { config: { ...config, commitment }, slot }
}

/** A value together with the slot it is of. */
export function inContext(slot: number, valueText: string): string {
  return `{"context":{"apiVersion":"${API_VERSION}","slot":${slot}},"value":${valueText}}`
}

export function readKeyParam(text: string | undefined): Uint8Array | SolanaError {
  const given = readString(text ?? 'null')
  if (isSolanaError(given)) return given
  if (given.length > KEY_CHARS_MAX) return invalidParams('Invalid param: WrongSize')
  if (!BASE58_CHARS.test(given)) return invalidParams('Invalid param: Invalid')
  return decodeKey(given) ?? invalidParams('Invalid param: WrongSize')
}

/** A list of keys, at most as many as the node's own limit. */
export function readKeysParam(text: string, max: number): Uint8Array[] | SolanaError {
  if (!isSequence(text)) return wrongType(text, 'a sequence')
  const elements = rawElements(text)
  if (elements.length > max) return invalidParams(`Too many inputs provided; max ${max}`)
  const keys: Uint8Array[] = []
  for (const element of elements) {
    const key = readKeyParam(element)
    if (isSolanaError(key)) return key
    keys.push(key)
  }
  return keys
}

/** The members of a config; none when it is left out. */
export function membersOf(
  text: string | undefined,
  struct: string,
): ReadonlyMap<string, string> | SolanaError {
  if (text === undefined || text === 'null') return new Map()
  if (!isMap(text)) return wrongType(text, `struct ${struct}`)
  return new Map([...rawMembers(text)].filter(([, value]) => value !== 'null'))
}

function isSet(configText: string | null, name: string): boolean {
  const text = configText === null ? undefined : rawMembers(configText).get(name)
  return text !== undefined && text !== 'null'
}
