import { Rejection } from '../errors.ts'
import { isAddress, isHash32, numberToQuantity, quantityToNumber } from '../hex.ts'
import { isJsonObject } from '../json/json-value.ts'

/** Alternatives, in lower case and in order; null: anything. */
type Keys = readonly string[] | null

/** The logs that a filter asks for, whatever their blocks. */
export type LogKeys = {
  addresses: Keys
  /** One for each position; a log with fewer topics than positions does not match. */
  topics: readonly Keys[]
}

type BlockBound = number | 'latest' | 'safe' | 'finalized'

/** A filter by range that was understood to its last member: it holds no free text. */
export type LogFilter = LogKeys & { from: BlockBound; to: BlockBound }

export type KnownHead = { number: number; finalized: number | null }

export type BlockRange = { from: number; to: number }

/** A part of what a filter asks for, and what one node is asked for at once. */
export type LogPiece = LogKeys & BlockRange

const MEMBERS = new Set(['fromBlock', 'toBlock', 'address', 'topics'])

const TOPICS_MAX = 4

/** More alternatives than this are the node's to judge. */
const ALTERNATIVES_MAX = 10_000

/** Reads the params of eth_getLogs; null for what is no filter by range, or not quite one. */
export function parseLogFilter(params: readonly unknown[]): LogFilter | null {
  const [filter] = params
  if (params.length !== 1 || !isJsonObject(filter)) return null
  for (const name in filter) if (!MEMBERS.has(name)) return null
  const from = boundOf(filter.fromBlock)
  const to = boundOf(filter.toBlock)
  const keys = readLogKeys(filter, ALTERNATIVES_MAX)
  if (from === null || to === null || keys instanceof Rejection) return null
  return { from, to, ...keys }
}

/** Reads `address` and `topics` by the rules of go-ethereum. */
export function readLogKeys(
  { address, topics }: Readonly<Record<string, unknown>>,
  alternativesMax: number,
): LogKeys | Rejection {
  const addresses = readKeys(address, 'address', isAddress, alternativesMax)
  if (addresses instanceof Rejection) return addresses
  const positions = topics ?? []
  if (!Array.isArray(positions)) return invalidLogFilter('topics must be an array')
  if (positions.length > TOPICS_MAX) {
    return invalidLogFilter(`topics may have at most ${TOPICS_MAX} positions`)
  }
  const read: Keys[] = []
  for (const [at, position] of positions.entries()) {
    const keys = readKeys(position, `topics[${at}]`, isTopic, alternativesMax)
    if (keys instanceof Rejection) return keys
    read.push(keys)
  }
  return { addresses, topics: read }
}

/**
 * The blocks that a filter means at a head, cut off there as nodes do; null when there are none
 * or it is not known. `safe` is the height of that tag, where it is needed.
 */
export function rangeOf(
  { from, to }: LogFilter,
  head: KnownHead,
  safe: number | null,
): BlockRange | null {
  const heightOf = (bound: BlockBound) => {
    if (bound === 'latest') return head.number
    if (bound === 'finalized') return head.finalized
    return bound === 'safe' ? safe : bound
  }
  const [first, last] = [heightOf(from), heightOf(to)]
  if (first === null || last === null) return null
  const range = { from: first, to: Math.min(last, head.number) }
  return range.from <= range.to ? range : null
}

/**
 * How many blocks a call makes nodes look at; 1 where that cannot be told. Filters that a node
 * may refuse are counted as well: it need not.
 */
export function blocksScanned(params: readonly unknown[], head: KnownHead | null): number {
  const [filter] = params
  if (head === null || !isJsonObject(filter) || filter.blockHash !== undefined) return 1
  const heightOf = (param: unknown) => {
    const bound = boundOf(param)
    if (bound === 'finalized') return head.finalized ?? head.number
    return typeof bound === 'number' ? Math.min(bound, head.number) : head.number
  }
  return Math.max(1, heightOf(filter.toBlock) - heightOf(filter.fromBlock) + 1)
}

export function pieceParams({ from, to, ...keys }: LogPiece): unknown[] {
  const range = { fromBlock: numberToQuantity(from), toBlock: numberToQuantity(to) }
  return [{ ...range, ...keyParams(keys) }]
}

/** The params that ask for the logs of one block, whichever chain it is on. */
export function blockParams(blockHash: string, keys: LogKeys): unknown[] {
  return [{ blockHash, ...keyParams(keys) }]
}

function keyParams({ addresses, topics }: LogKeys) {
  return {
    ...(addresses === null ? {} : { address: addresses.length === 1 ? addresses[0] : addresses }),
    ...(topics.length === 0 ? {} : { topics }),
  }
}

function boundOf(param: unknown): BlockBound | null {
  if (param === undefined || param === null) return 'latest'
  if (param === 'latest' || param === 'safe' || param === 'finalized') return param
  return param === 'earliest' ? 0 : quantityToNumber(param)
}

function readKeys(
  value: unknown,
  name: string,
  isKey: (value: unknown) => boolean,
  keysMax: number,
): Keys | Rejection {
  if (value === undefined || value === null) return null
  const list: unknown[] = Array.isArray(value) ? value : [value]
  const [what, whats] = isKey === isAddress ? ['address', 'addresses'] : ['topic', 'topics']
  if (list.length > keysMax) {
    return invalidLogFilter(`${name} may name at most ${keysMax} ${whats}`)
  }
  const at = list.findIndex((one) => !isKey(one))
  if (at >= 0) {
    const place = Array.isArray(value) ? `${name}[${at}]` : name
    return invalidLogFilter(`${place} is no ${what}`)
  }
  // One null among alternatives lets anything pass, as does an empty list.
  if (list.length === 0 || list.includes(null)) return null
  return [...new Set(list.map((one) => String(one).toLowerCase()))].sort()
}

function isTopic(value: unknown): boolean {
  return value === null || isHash32(value)
}

export function invalidLogFilter(what: string): Rejection {
  return new Rejection('invalid_params', `Invalid params: ${what}.`)
}
