import { quantity } from '../fork/raw-chain.ts'
import type { ArchivedReceipt, WholeBlock } from './archived-blocks.ts'
import type { ChainArchive } from './chain-archive.ts'
import { feeHistory } from './fee-history.ts'
import { type ForkLogFilter, matchingLogs } from './matching-logs.ts'
import type { StateKey } from './state-history.ts'

/** An archive as a node whose head is that height: later blocks are not there. */
export type ArchiveNode = { archive: ChainArchive; chainId: number; height: number }

type Method = (node: ArchiveNode, params: readonly unknown[]) => unknown

const WORD_CHARS = 64

/** All that the chain asks of the node that it is forked from. */
const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['eth_chainId', ({ chainId }) => quantity(chainId)],
  ['net_version', ({ chainId }) => String(chainId)],
  ['eth_blockNumber', ({ height }) => quantity(height)],
  ['eth_getBlockByNumber', (node, [tag, whole]) => shown(blockAt(node, tag), whole)],
  ['eth_getBlockByHash', (node, [hash, whole]) => shown(blockWithHash(node, hash), whole)],
  ['eth_getTransactionByHash', (node, [hash]) => transactionOf(node, hash)],
  ['eth_getTransactionReceipt', (node, [hash]) => receiptOf(node, hash)],
  ['eth_getLogs', (node, [filter]) => logsOf(node, filter as ForkLogFilter)],
  ['eth_feeHistory', (node, [count, tag, percentiles]) => feesOf(node, count, tag, percentiles)],
  ['eth_getBalance', (node, [address, tag]) => number(node, address, 'balance', tag)],
  ['eth_getTransactionCount', (node, [address, tag]) => number(node, address, 'nonce', tag)],
  ['eth_getCode', (node, [address, tag]) => stateAt(node, address, 'code', tag)],
  ['eth_getStorageAt', (node, [address, slot, tag]) => slotAt(node, address, slot, tag)],
])

/** The answer to one call, as JSON-RPC has it. */
export function archiveCall(node: ArchiveNode, call: unknown): object {
  const { id = null, method, params } = (call ?? {}) as Record<string, unknown>
  const run = METHODS.get(String(method))
  if (run === undefined) {
    const message = `the method ${method} is not kept across a start of the chain`
    return { jsonrpc: '2.0', id, error: { code: -32601, message } }
  }
  return { jsonrpc: '2.0', id, result: run(node, Array.isArray(params) ? params : []) }
}

/** Tags other than numbers mean the head, which is as final as any block of this node. */
function heightOf({ height }: ArchiveNode, tag: unknown): number {
  if (typeof tag !== 'string' || !tag.startsWith('0x')) return tag === 'earliest' ? 0 : height
  return Number(tag)
}

function blockAt(node: ArchiveNode, tag: unknown): WholeBlock | null {
  return reached(node, node.archive.blocks.block(heightOf(node, tag)))
}

function blockWithHash(node: ArchiveNode, hash: unknown): WholeBlock | null {
  return reached(node, node.archive.blocks.block(String(hash)))
}

function blockWith(node: ArchiveNode, transactionHash: unknown): WholeBlock | null {
  return reached(node, node.archive.blocks.blockWith(String(transactionHash)))
}

function reached({ height }: ArchiveNode, block: WholeBlock | null): WholeBlock | null {
  return block !== null && Number(block.number) <= height ? block : null
}

function shown(block: WholeBlock | null, whole: unknown) {
  if (block === null || whole === true) return block
  return { ...block, transactions: block.transactions.map(({ hash }) => hash) }
}

function transactionOf(node: ArchiveNode, hash: unknown) {
  return blockWith(node, hash)?.transactions.find((one) => one.hash === hash) ?? null
}

function receiptOf(node: ArchiveNode, hash: unknown): ArchivedReceipt | null {
  const block = blockWith(node, hash)
  if (block === null) return null
  const receipts: ArchivedReceipt[] = JSON.parse(
    node.archive.blocks.receiptsText(Number(block.number)),
  )
  return receipts.find(({ transactionHash }) => transactionHash === hash) ?? null
}

function logsOf(node: ArchiveNode, filter: ForkLogFilter) {
  const { archive } = node
  if (filter.blockHash !== undefined) {
    const at = Number(blockWithHash(node, filter.blockHash)?.number ?? Number.NaN)
    return matchingLogs(archive.blocks, filter, at, at)
  }
  const from = Math.max(heightOf(node, filter.fromBlock), archive.blocks.lowest())
  const to = Math.min(heightOf(node, filter.toBlock), node.height)
  return matchingLogs(archive.blocks, filter, from, to)
}

/**
 * EDR asks for the fees up to its head or to this node's; or else for those of one block more
 * than it was asked for, since the fee of the next block is told as well.
 */
function feesOf(node: ArchiveNode, count: unknown, tag: unknown, percentiles: unknown) {
  const { archive, height } = node
  const next = heightOf(node, tag) < height ? heightOf(node, tag) + 1 : null
  const newest = next === null ? height : next - 1
  const wanted = next === null ? Number(count) : Number(count) - 1
  const oldest = Math.max(newest - wanted + 1, archive.blocks.lowest())
  const shares = Array.isArray(percentiles) ? percentiles.map(Number) : null
  const fees = feeHistory(archive.blocks, oldest, newest, shares)
  const nextFee = next === null ? [] : [String(archive.blocks.block(next)?.baseFeePerGas)]
  return { ...fees, baseFeePerGas: [...fees.baseFeePerGas, ...nextFee] }
}

function number(node: ArchiveNode, address: unknown, part: 'balance' | 'nonce', tag: unknown) {
  const value = stateAt(node, address, part, tag)
  return value === '0x' ? '0x0' : quantity(BigInt(value))
}

function slotAt(node: ArchiveNode, address: unknown, slot: unknown, tag: unknown): string {
  const value = stateAt(node, address, { slot: String(slot) }, tag)
  return `0x${value.slice(2).padStart(WORD_CHARS, '0')}`
}

function stateAt(node: ArchiveNode, address: unknown, part: StateKey['part'], tag: unknown) {
  return node.archive.state.at({ address: String(address), part }, heightOf(node, tag))
}
