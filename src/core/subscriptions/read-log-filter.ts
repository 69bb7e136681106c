import { type BloomBits, inBloom } from '../chain/logs-bloom.ts'
import { Rejection } from '../errors.ts'
import { isAddress, isHash32 } from '../hex.ts'
import { isJsonObject } from '../json/json-value.ts'
import type { LogKeys } from '../logs/log-filter.ts'

/** The parts of a log that a filter looks at, in lower case. */
export type FilteredLog = { address: string; topics: readonly string[] }

/** go-ethereum's limits for one filter. */
const TOPICS_MAX = 4
const ADDRESSES_MAX = 1000
const WORDS_MAX = 1000

/** Reads the second parameter of `eth_subscribe` for logs, by the rules of go-ethereum. */
export function readLogFilter(value: unknown): LogKeys | Rejection {
  if (value === undefined || value === null) return { addresses: null, topics: [] }
  if (!isJsonObject(value)) return invalid('params[1] must be an object')
  if (value.blockHash !== undefined) return invalid('blockHash is not for subscriptions')
  const addresses = readAddresses(value.address)
  if (addresses instanceof Rejection) return addresses
  const topics = readTopics(value.topics)
  return topics instanceof Rejection ? topics : { addresses, topics }
}

/** True when a log is wanted. A filter with more topics than the log has is never met. */
export function logMatches({ addresses, topics }: LogKeys, log: FilteredLog): boolean {
  if (addresses !== null && !addresses.includes(log.address)) return false
  if (topics.length > log.topics.length) return false
  return topics.every((words, at) => words === null || words.includes(log.topics[at] ?? ''))
}

export function bloomMayMatch(
  { addresses, topics }: LogKeys,
  bloom: Uint8Array,
  known: BloomBits,
): boolean {
  const has = (key: string) => inBloom(bloom, key, known)
  if (addresses !== null && !addresses.some(has)) return false
  return topics.every((words) => words === null || words.some(has))
}

function readAddresses(value: unknown): readonly string[] | null | Rejection {
  if (value === undefined || value === null) return null
  const list: unknown[] = Array.isArray(value) ? value : [value]
  if (list.length > ADDRESSES_MAX) {
    return invalid(`address may name at most ${ADDRESSES_MAX} addresses`)
  }
  const at = list.findIndex((one) => !isAddress(one))
  if (at >= 0)
    return invalid(`${Array.isArray(value) ? `address[${at}]` : 'address'} is no address`)
  return list.length === 0 ? null : distinct(list)
}

function readTopics(value: unknown): LogKeys['topics'] | Rejection {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) return invalid('topics must be an array')
  if (value.length > TOPICS_MAX) return invalid(`topics may have at most ${TOPICS_MAX} positions`)
  const topics: (readonly string[] | null)[] = []
  for (const [at, one] of value.entries()) {
    const words = readPosition(one, `topics[${at}]`)
    if (words instanceof Rejection) return words
    topics.push(words)
  }
  return topics
}

function readPosition(value: unknown, name: string): readonly string[] | null | Rejection {
  if (value === null) return null
  const list: unknown[] = Array.isArray(value) ? value : [value]
  if (list.length > WORDS_MAX) return invalid(`${name} may name at most ${WORDS_MAX} topics`)
  const at = list.findIndex((one) => one !== null && !isHash32(one))
  if (at >= 0) return invalid(`${Array.isArray(value) ? `${name}[${at}]` : name} is no topic`)
  // One null among alternatives lets anything pass, as does an empty list.
  return list.length === 0 || list.includes(null) ? null : distinct(list)
}

function distinct(list: readonly unknown[]): string[] {
  return [...new Set(list.map((one) => String(one).toLowerCase()))].sort()
}

function invalid(what: string): Rejection {
  return new Rejection('invalid_params', `Invalid params: ${what}.`)
}
