import { rawElements, rawMembers } from '../../json/json-scan.ts'
import type { AccountEncoding, Commitment, SolanaError } from '../account.ts'
import { decodeBase58, decodeKey, encodeBase58, encodeKey } from '../base58.ts'
import {
  isMap,
  isSequence,
  readBoolean,
  readString,
  readTag,
  refusal,
  unknownVariant,
  wrongType,
} from '../reply/node-values.ts'
import { type ProgramAccountsCall, readProgramAccountsCall } from '../request/program-accounts.ts'
import { upstreamParams } from '../request/query-hash.ts'
import { readConfig } from '../request/read-config.ts'
import { invalidParams, isSolanaError, solanaError } from '../solana-error.ts'

/** The subject of a subscription. Calls that mean the same have the same params text. */
export type SolanaTopic = SlotTopic | AccountTopic | ProgramTopic | LogsTopic | SignatureTopic

type SlotTopic = { kind: 'slot' | 'root'; paramsText: string }

export type AccountTopic = {
  kind: 'account'
  paramsText: string
  pubkey: Uint8Array
  encoding: AccountEncoding
  commitment: Commitment
}

export type ProgramTopic = { kind: 'program'; paramsText: string; call: ProgramAccountsCall }

type LogsTopic = {
  kind: 'logs'
  paramsText: string
  /** Null: of all transactions. */
  mentions: Uint8Array | null
  commitment: Commitment
}

export type SignatureTopic = {
  kind: 'signature'
  paramsText: string
  signature: string
  commitment: Commitment
  /** A first notification is wanted when the node has seen the transaction. */
  tellsReceived: boolean
}

type Params = readonly string[]

type TopicReader = { min: 0 | 1; max: 0 | 2; read(params: Params): SolanaTopic | SolanaError }

/** As much as a node takes for a whole request. */
const PARAMS_CHARS_MAX = 51_200

const KEY_CHARS_MAX = 44
const SIGNATURE_CHARS_MAX = 88
const SIGNATURE_BYTES = 64
const BASE58_CHARS = /^[1-9A-HJ-NP-Za-km-z]*$/

const LOG_FILTERS = ['all', 'allWithVotes', 'mentions'] as const

/** As a node has it: an omitted encoding is its bare base-58 text. */
const NODE_RULES = { defaultEncoding: 'binary', pageLimit: Number.MAX_SAFE_INTEGER } as const

/** By the names that callers send, so no object: `toString` is in every one of those. */
const READERS: ReadonlyMap<string, TopicReader> = new Map([
  ['slotSubscribe', { min: 0, max: 0, read: () => ({ kind: 'slot', paramsText: '[]' }) }],
  ['rootSubscribe', { min: 0, max: 0, read: () => ({ kind: 'root', paramsText: '[]' }) }],
  ['accountSubscribe', { min: 1, max: 2, read: readAccountTopic }],
  ['programSubscribe', { min: 1, max: 2, read: readProgramTopic }],
  ['logsSubscribe', { min: 1, max: 2, read: readLogsTopic }],
  ['signatureSubscribe', { min: 1, max: 2, read: readSignatureTopic }],
])

/**
 * Reads a subscription call, with a node's own words where it refuses one; null for a method that
 * subscribes to nothing known here. `paramsText` must be a JSON array.
 */
export function readTopic(method: string, paramsText: string): SolanaTopic | SolanaError | null {
  const reader = READERS.get(method)
  if (reader === undefined) return null
  if (paramsText.length > PARAMS_CHARS_MAX) {
    return refusal(`params are longer than ${PARAMS_CHARS_MAX} characters`)
  }
  const params = rawElements(paramsText)
  const { min, max } = reader
  if (max === 0 && params.length > 0) return invalidParams('No parameters were expected')
  if (params.length < min) return invalidParams('`params` should have at least 1 argument(s)')
  if (params.length > max) {
    const got = JSON.stringify(`"Got: ${params.length}"`)
    return solanaError(-32602, 'Invalid parameters: Expected from 1 to 2 parameters.', got)
  }
  return reader.read(params)
}

function readAccountTopic([keyText = '', configText]: Params): SolanaTopic | SolanaError {
  const pubkey = readKey(keyText, 'pubkey')
  if (isSolanaError(pubkey)) return pubkey
  const given = configOf(configText, 'RpcAccountInfoConfig')
  if (isSolanaError(given)) return given
  const config = readConfig(given, 1)
  if (isSolanaError(config)) return config
  const { commitment } = config
  const encoding = config.encoding === 'json' ? 'base64' : (config.encoding ?? 'binary')
  // Nodes take a slice and tell the whole data all the same, so it is not asked for.
  const form = `{"encoding":"${encoding}","commitment":"${commitment}"}`
  const paramsText = `["${encodeKey(pubkey)}",${form}]`
  return { kind: 'account', paramsText, pubkey, encoding, commitment }
}

function readProgramTopic(params: Params): SolanaTopic | SolanaError {
  const key = readKey(params[0] ?? '', 'pubkey')
  if (isSolanaError(key)) return key
  const given = readProgramAccountsCall(`[${params.join()}]`, NODE_RULES)
  if (isSolanaError(given)) return given
  const call = { ...given, dataSlice: null, minContextSlot: null }
  return { kind: 'program', paramsText: upstreamParams(call), call }
}

function readLogsTopic([filterText = '', configText]: Params): SolanaTopic | SolanaError {
  const filter = readLogsFilter(filterText)
  if (isSolanaError(filter)) return filter
  const commitment = readCommitment(configText, 'RpcTransactionLogsConfig')
  if (isSolanaError(commitment)) return commitment
  const { filterText: asked, mentions } = filter
  const paramsText = `[${asked},{"commitment":"${commitment}"}]`
  return { kind: 'logs', paramsText, mentions, commitment }
}

function readSignatureTopic([text = '', configText]: Params): SolanaTopic | SolanaError {
  const signature = readSignature(text)
  if (isSolanaError(signature)) return signature
  const commitment = readCommitment(configText, 'RpcSignatureSubscribeConfig')
  if (isSolanaError(commitment)) return commitment
  const receivedText = membersOf(configText).get('enableReceivedNotification') ?? 'null'
  const tellsReceived = receivedText === 'null' ? false : readBoolean(receivedText)
  if (isSolanaError(tellsReceived)) return tellsReceived
  const received = tellsReceived ? ',"enableReceivedNotification":true' : ''
  const paramsText = `["${signature}",{"commitment":"${commitment}"${received}}]`
  return { kind: 'signature', paramsText, signature, commitment, tellsReceived }
}

function readLogsFilter(text: string) {
  const tag = readTag(text)
  if (isSolanaError(tag)) return tag
  const { name, valueText } = tag
  if (!LOG_FILTERS.some((one) => one === name)) return unknownVariant(name, LOG_FILTERS)
  if (name !== 'mentions') {
    const isBare = valueText === null || valueText === 'null'
    return isBare ? { filterText: `"${name}"`, mentions: null } : wrongType(valueText, 'unit')
  }
  if (valueText === null || !isSequence(valueText)) {
    return wrongType(valueText ?? 'null', 'a sequence', 'mentions')
  }
  const [first, ...others] = rawElements(valueText)
  if (first === undefined || others.length > 0) {
    return invalidParams('Invalid Request: Only 1 address supported')
  }
  const mentions = readKey(first, 'mentions')
  if (isSolanaError(mentions)) return mentions
  return { filterText: `{"mentions":["${encodeKey(mentions)}"]}`, mentions }
}

function readKey(text: string, name: string): Uint8Array | SolanaError {
  const given = readString(text)
  if (isSolanaError(given)) return given
  const isWritten = given.length <= KEY_CHARS_MAX && BASE58_CHARS.test(given)
  return (isWritten ? decodeKey(given) : null) ?? notProvided(name)
}

function readSignature(text: string): string | SolanaError {
  const given = readString(text)
  if (isSolanaError(given)) return given
  // Longer ones are refused unread, as on a node: decoding costs the square of the length.
  const isWritten = given.length <= SIGNATURE_CHARS_MAX && BASE58_CHARS.test(given)
  const bytes = isWritten ? decodeBase58(given) : null
  return bytes?.length === SIGNATURE_BYTES ? encodeBase58(bytes) : notProvided('signature')
}

function notProvided(name: string): SolanaError {
  return invalidParams(`Invalid Request: Invalid ${name} provided`)
}

function readCommitment(configText: string | undefined, struct: string): Commitment | SolanaError {
  const given = configOf(configText, struct)
  if (isSolanaError(given)) return given
  const text = membersOf(configText).get('commitment') ?? 'null'
  const config = readConfig(`{"commitment":${text}}`, 1)
  return isSolanaError(config) ? config : config.commitment
}

function configOf(text: string | undefined, struct: string): string | null | SolanaError {
  if (text === undefined || text === 'null') return null
  return isMap(text) ? text : wrongType(text, `struct ${struct}`)
}

function membersOf(configText: string | undefined): ReadonlyMap<string, string> {
  return configText !== undefined && isMap(configText) ? rawMembers(configText) : new Map()
}
