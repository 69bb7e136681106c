import { addToBloom, BLOOM_BYTES, openBloomBits } from '../../../src/core/chain/logs-bloom.ts'
import { type Chance, seededChance } from '../basics/seeded-chance.ts'
import { type FakeNode, hashOf, NodeError, startFakeNode } from '../nodes/fake-node.ts'
import type { NodeJson } from './node-json.ts'

/** A chain of blocks with logs, which several nodes tell of, each with limits of its own. */
export type LogChain = {
  blocks: ChainBlock[]
  addresses: readonly string[]
  topics: readonly string[]
  /** The logs that a filter asks for: the truth. */
  logsOf(filter: NodeJson): NodeJson[]
  /** Replaces the last blocks by others, which have so many logs at most. */
  reorganise(depth: number, logsMax?: number): void
}

type ChainBlock = { header: NodeJson; logs: NodeJson[] }

/** The ways in which a node refuses, or fails to answer whole. */
export type LogLimits = {
  blocks?: number
  count?: number
  bytes?: number
  addresses?: number
  /** Blocks that it answers in time. */
  timely?: number
  /** Leaves these logs out. */
  omits?(log: NodeJson, at: number): boolean
  /** Knows no block above this. */
  head?: number
}

export type LogNode = FakeNode & { chain: LogChain; limits: LogLimits; error: LogErrors }

/** The errors of a node's refusals; by default those of large vendors. */
type LogErrors = { blocks: NodeError; count: NodeError; bytes: NodeError; time: NodeError }

const KNOWN = openBloomBits()

export function makeLogChain(seed: number, length: number, logsMax = 2): LogChain {
  const chance = seededChance(seed)
  const key = (bytes: number) => `0x${hexOf(chance, bytes)}`
  const addresses = Array.from({ length: 6 }, () => key(20))
  const topics = Array.from({ length: 6 }, () => key(32))
  const blocks: ChainBlock[] = []
  let fork = 10
  const mine = (most: number) => {
    const number = blocks.length
    const hash = hashOf(number, fork.toString(16).padStart(2, '0'))
    const logs = Array.from({ length: chance.between(0, most) }, (_, at) =>
      logAt(chance, { number, hash, at }, addresses, topics),
    )
    blocks.push({ header: headerOf(number, hash, blocks.at(-1)?.header.hash, logs), logs })
  }
  while (blocks.length < length) mine(logsMax)
  return {
    blocks,
    addresses,
    topics,
    logsOf: (filter) => logsIn(blocks, filter),
    reorganise(depth, most = logsMax) {
      blocks.length -= depth
      fork++
      for (let at = 0; at < depth; at++) mine(most)
    },
  }
}

export function startLogNode(name: string, chain: LogChain, limits: LogLimits = {}): LogNode {
  const node = startFakeNode(name)
  const error: LogErrors = {
    blocks: new NodeError(-32614, `eth_getLogs is limited to a ${limits.blocks} range`),
    count: new NodeError(-32005, `query returned more than ${limits.count} results`),
    bytes: new NodeError(-32602, 'Log response size exceeded.'),
    time: new NodeError(-32000, 'query timeout exceeded'),
  }
  const logNode = Object.assign(node, { chain, limits, error })
  showHead(logNode)
  node.answers = {
    eth_getLogs: ([filter]: NodeJson[]) => answerLogs(logNode, filter ?? {}),
    eth_getBlockByNumber: ([tag]: string[]) => blockOf(logNode, tag ?? ''),
    eth_getBlockByHash: ([hash]: string[]) =>
      chain.blocks.find(({ header }) => header.hash === hash)?.header ?? null,
  }
  return logNode
}

/** The node's head is the chain's, or where it stands behind. */
function showHead(node: LogNode): NodeJson {
  const { blocks } = node.chain
  const number = Math.min(node.limits.head ?? blocks.length - 1, blocks.length - 1)
  const header = blocks[number]?.header ?? {}
  node.head = { number, hash: header.hash, timestampMs: Date.now() }
  const timestamp = `0x${Math.floor(Date.now() / 1000).toString(16)}`
  return { ...header, timestamp }
}

function blockOf(node: LogNode, tag: string): NodeJson | null {
  const head = showHead(node)
  if (tag === 'latest') return head
  const last = node.head.number
  const depths: Record<string, number> = { safe: 20, finalized: 40 }
  const number = tag in depths ? last - (depths[tag] ?? 0) : Number(tag)
  return number > last ? null : (node.chain.blocks[number]?.header ?? null)
}

function answerLogs(node: LogNode, filter: NodeJson): NodeJson[] {
  const { limits, chain, error } = node
  const last = limits.head ?? chain.blocks.length - 1
  const truth = chain.logsOf(filter).filter((log) => Number(log.blockNumber) <= last)
  if (filter.blockHash !== undefined) return truth
  const [from, to] = [heightOf(filter.fromBlock, last), heightOf(filter.toBlock, last)]
  const blocks = to - from + 1
  const { address } = filter
  if (limits.addresses && Array.isArray(address) && address.length > limits.addresses) {
    throw new NodeError(-32602, 'exceed max addresses or topics per search position')
  }
  if (blocks > (limits.blocks ?? blocks)) throw error.blocks
  if (blocks > (limits.timely ?? blocks)) throw error.time
  if (truth.length > (limits.count ?? truth.length)) throw error.count
  if (JSON.stringify(truth).length > (limits.bytes ?? Number.POSITIVE_INFINITY)) throw error.bytes
  return truth.filter((log, at) => !limits.omits?.(log, at))
}

function logsIn(blocks: readonly ChainBlock[], filter: NodeJson): NodeJson[] {
  const last = blocks.length - 1
  const { blockHash, address, topics = [] } = filter
  const [from, to] = [heightOf(filter.fromBlock, last), heightOf(filter.toBlock, last)]
  const chosen = blockHash
    ? blocks.filter(({ header }) => header.hash === blockHash)
    : blocks.slice(from, to + 1)
  const addresses: string[] | null = address ? [address].flat() : null
  return chosen.flatMap(({ logs }) =>
    logs.filter(
      (log) =>
        (addresses === null || addresses.includes(log.address)) &&
        (topics as (null | string | string[])[]).every((wanted, at) => {
          if (log.topics.length <= at) return false
          return wanted === null || [wanted].flat().includes(log.topics[at])
        }),
    ),
  )
}

function heightOf(bound: unknown, last: number): number {
  if (bound === undefined || bound === 'latest') return last
  if (bound === 'earliest') return 0
  if (bound === 'safe') return last - 20
  return bound === 'finalized' ? last - 40 : Number(bound)
}

function headerOf(
  number: number,
  hash: string,
  parentHash: string | undefined,
  logs: readonly NodeJson[],
): NodeJson {
  const bloom = new Uint8Array(BLOOM_BYTES)
  for (const { address, topics } of logs) {
    for (const key of [address, ...topics]) addToBloom(bloom, key, KNOWN)
  }
  const logsBloom = `0x${bloom.toHex()}`
  const parent = parentHash ?? `0x${'0'.repeat(64)}`
  return { number: `0x${number.toString(16)}`, hash, parentHash: parent, logsBloom }
}

type Place = { number: number; hash: string; at: number }

function logAt(
  chance: Chance,
  { number, hash, at }: Place,
  addresses: readonly string[],
  topics: readonly string[],
): NodeJson {
  const own = Array.from({ length: chance.between(0, 2) }, () => chance.pick(topics))
  return {
    // No two logs of a block are of one address, unless they are more than addresses.
    address: addresses[(number + at) % addresses.length],
    topics: own,
    data: `0x${hexOf(chance, 8)}`,
    blockNumber: `0x${number.toString(16)}`,
    blockHash: hash,
    transactionIndex: '0x0',
    transactionHash: hashOf(number, 'ff'),
    logIndex: `0x${at.toString(16)}`,
    removed: false,
  }
}

function hexOf(chance: Chance, bytes: number): string {
  let hex = ''
  while (hex.length < bytes * 2)
    hex += chance
      .between(0, 2 ** 24 - 1)
      .toString(16)
      .padStart(6, '0')
  return hex.slice(0, bytes * 2)
}
