import { type BloomBits, inBloom } from '../chain/logs-bloom.ts'
import type { Rejection } from '../errors.ts'
import { isJsonObject } from '../json/json-value.ts'
import { invalidLogFilter, type LogKeys, readLogKeys } from '../logs/log-filter.ts'

/** The parts of a log that a filter looks at, in lower case. */
export type FilteredLog = { address: string; topics: readonly string[] }

/** go-ethereum's limit for the addresses, and for the topics of one position. */
const ALTERNATIVES_MAX = 1000

/** Reads the second parameter of `eth_subscribe` for logs, by the rules of go-ethereum. */
export function readLogFilter(value: unknown): LogKeys | Rejection {
  if (value === undefined || value === null) return { addresses: null, topics: [] }
  if (!isJsonObject(value)) return invalidLogFilter('params[1] must be an object')
  if (value.blockHash !== undefined) return invalidLogFilter('blockHash is not for subscriptions')
  return readLogKeys(value, ALTERNATIVES_MAX)
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
