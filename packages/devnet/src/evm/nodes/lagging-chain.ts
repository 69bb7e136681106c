import type { ForkableChain } from '../fork/forkable-chain.ts'
import { quantity } from '../fork/raw-chain.ts'

type Params = readonly unknown[]
type LogFilter = { fromBlock?: unknown; toBlock?: unknown; blockHash?: unknown }

/** The place of the block among the parameters of methods that name one. */
const BLOCK_AT: Readonly<Record<string, number>> = {
  eth_getBlockByNumber: 0,
  eth_getBlockReceipts: 0,
  eth_getBlockTransactionCountByNumber: 0,
  eth_getTransactionByBlockNumberAndIndex: 0,
  debug_traceBlockByNumber: 0,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_call: 1,
  eth_estimateGas: 1,
  eth_createAccessList: 1,
  eth_feeHistory: 1,
  eth_getStorageAt: 2,
  eth_getProof: 2,
}

/** Methods that answer null for a block that the node does not have. */
const NULL_BEYOND = /^eth_get(?:Block|TransactionByBlock)/

const HEADER_NOT_FOUND = { error: { code: -32_000, message: 'header not found' } }

export function laggingChain(chain: ForkableChain, blocks: number): ForkableChain {
  return {
    async ask(method, params) {
      const head = await headOf(chain)
      const last = Math.max(0, head - blocks)
      if (method === 'eth_blockNumber') return answer(quantity(last))
      const given = Array.isArray(params) ? params : []
      if (isBeyond(method, given, last)) {
        return NULL_BEYOND.test(method) ? answer(null) : JSON.stringify(HEADER_NOT_FOUND)
      }
      const text = await chain.ask(method, paramsUpTo(method, given, last))
      return text === null ? null : withoutNewer(text, last)
    },
  }
}

async function headOf(chain: ForkableChain): Promise<number> {
  const text = await chain.ask('eth_blockNumber', [])
  return Number(JSON.parse(text ?? '{}').result ?? 0)
}

function isBeyond(method: string, params: Params, last: number): boolean {
  const at = BLOCK_AT[method]
  if (at === undefined) return false
  const block = params[at]
  return typeof block === 'string' && /^0x[0-9a-f]{1,13}$/i.test(block) && Number(block) > last
}

/** The newest block that a call may see is the node's own. */
function paramsUpTo(method: string, params: Params, last: number): Params {
  if (method === 'eth_getLogs') return [filterUpTo(params[0], last), ...params.slice(1)]
  const at = BLOCK_AT[method]
  if (at === undefined) return params
  const block = params[at] ?? 'latest'
  if (block !== 'latest' && block !== 'pending') return params
  return params.toSpliced(at, 1, quantity(last))
}

function filterUpTo(filter: unknown, last: number): unknown {
  if (typeof filter !== 'object' || filter === null) return filter
  const { fromBlock = 'latest', toBlock = 'latest', blockHash } = filter as LogFilter
  if (blockHash !== undefined) return filter
  const upTo = (block: unknown) => {
    const isNewer = block === 'latest' || block === 'pending' || Number(block) > last
    return isNewer ? quantity(last) : block
  }
  return { ...filter, fromBlock: upTo(fromBlock), toBlock: upTo(toBlock) }
}

/** A block, a receipt, a transaction or a log of a block that the node does not have yet. */
function withoutNewer(text: string, last: number): string {
  const { result, ...rest } = JSON.parse(text)
  if (Array.isArray(result)) {
    return JSON.stringify({ ...rest, result: result.filter((one) => !isNewer(one, last)) })
  }
  return isNewer(result, last) ? answer(null) : text
}

function isNewer(value: unknown, last: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { number, blockNumber } = value as { number?: unknown; blockNumber?: unknown }
  const height = blockNumber ?? number
  return typeof height === 'string' && Number(height) > last
}

function answer(result: unknown): string {
  return JSON.stringify({ result })
}
