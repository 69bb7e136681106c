import { wholeNumber } from '../../parse-exactly.ts'
import { type Commitment, decodeBase58 } from '../solana-account.ts'
import type { SolanaChain } from '../solana-chain.ts'

export type Params = readonly unknown[]

export type LedgerMethod = {
  min: number
  max: number
  answer(chain: SolanaChain, params: Params): unknown
}

export type MethodTable = Readonly<Record<string, LedgerMethod>>

export type Config = Readonly<Record<string, unknown>>

export type Moment = { commitment: Commitment; slot: number }

/** The version of the node's software that the machine is made of. */
export const API_VERSION = '4.1.0'

const COMMITMENTS = ['processed', 'confirmed', 'finalized'] as const

const KEY_CHARS_MAX = 44
const KEY_BYTES = 32
const BASE58_CHARS = /^[1-9A-HJ-NP-Za-km-z]*$/

export class SolanaRefusal extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

export function invalidParams(message: string): SolanaRefusal {
  return new SolanaRefusal(-32602, message)
}

export function answerOf(method: LedgerMethod, chain: SolanaChain, given: unknown): unknown {
  const params = listOf(given ?? [])
  const { min, max } = method
  if (max === 0 && params.length > 0) throw invalidParams('No parameters were expected')
  if (params.length < min) {
    throw invalidParams(`\`params\` should have at least ${min} argument(s)`)
  }
  if (params.length > max) {
    throw invalidParams(`Invalid parameters: Expected from ${min} to ${max} parameters.`)
  }
  return method.answer(chain, params)
}

export function listOf(params: unknown): Params {
  if (!Array.isArray(params)) throw invalidParams('`params` should be an array')
  return params
}

/** The members of a config; none when it is left out. */
export function configOf(value: unknown): Config {
  if (value === undefined || value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) throw wrongType(value, 'an object')
  return value as Config
}

export function momentOf(chain: SolanaChain, value: unknown, preset: Commitment = 'finalized') {
  const config = configOf(value)
  const commitment = readChoice(config.commitment ?? preset, COMMITMENTS)
  const slot = chain.slots.slotAt(commitment)
  const wanted = config.minContextSlot ?? null
  if (wanted !== null && readWhole(wanted) > BigInt(slot)) {
    const message = 'Minimum context slot has not been reached'
    throw new SolanaRefusal(-32016, message, { contextSlot: slot })
  }
  return { commitment, slot }
}

/** Where a node reads blocks, it has none that are not voted for yet. */
export function votedMoment(chain: SolanaChain, config: Config): Moment {
  const moment = momentOf(chain, config)
  if (moment.commitment !== 'processed') return moment
  throw invalidParams('Method does not support commitment below `confirmed`')
}

export function inContext(slot: number, value: unknown) {
  return { context: { apiVersion: API_VERSION, slot }, value }
}

export function readText(value: unknown): string {
  if (typeof value !== 'string') throw wrongType(value, 'a string')
  return value
}

export function readFlag(value: unknown): boolean {
  if (value === undefined || value === null) return false
  if (typeof value !== 'boolean') throw wrongType(value, 'a boolean')
  return value
}

export function readWhole(value: unknown): bigint {
  const whole = wholeNumber(value)
  if (whole === null) throw wrongType(value, 'u64')
  return whole
}

export function readChoice<const Name extends string>(
  value: unknown,
  names: readonly Name[],
): Name {
  const found = names.find((name) => name === value)
  if (found !== undefined) return found
  const expected = names.map((name) => `\`${name}\``).join(', ')
  throw invalidParams(
    `Invalid params: unknown variant \`${String(value)}\`, expected one of ${expected}.`,
  )
}

export function readKey(value: unknown): string {
  return readBase58(value, KEY_CHARS_MAX, KEY_BYTES)
}

/** Text of so many bytes. Long texts are refused first: decoding costs the square of the length. */
export function readBase58(value: unknown, charsMax: number, bytes: number): string {
  const text = readText(value)
  if (text.length > charsMax) throw invalidParams('Invalid param: WrongSize')
  if (!BASE58_CHARS.test(text)) throw invalidParams('Invalid param: Invalid')
  if (decodeBase58(text).length !== bytes) throw invalidParams('Invalid param: WrongSize')
  return text
}

export function readList(value: unknown, max: number): readonly unknown[] {
  if (!Array.isArray(value)) throw wrongType(value, 'a sequence')
  if (value.length > max) throw invalidParams(`Too many inputs provided; max ${max}`)
  return value
}

export function wrongType(value: unknown, expected: string): SolanaRefusal {
  const kind = value === null ? 'null' : Array.isArray(value) ? 'sequence' : typeof value
  return invalidParams(`Invalid params: invalid type: ${kind}, expected ${expected}.`)
}
