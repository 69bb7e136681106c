import { assert } from '../../assert.ts'
import { quantity } from '../fork/raw-chain.ts'
import type { ArchivedBlocks, ArchivedLog, ArchivedReceipt, WholeBlock } from './archived-blocks.ts'
import type { ChainArchive } from './chain-archive.ts'
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

type ForkLogFilter = {
  fromBlock?: string
  toBlock?: string
  blockHash?: string
  address?: string | readonly string[] | null
  topics?: readonly (string | readonly string[] | null)[] | null
}

/** Alternatives, in lower case; null: anything. */
type Keys = readonly string[] | null

function matchingLogs(
  blocks: Pick<ArchivedBlocks, 'receiptsText'>,
  { address, topics }: ForkLogFilter,
  from: number,
  to: number,
): ArchivedLog[] {
  const keys = { addresses: keysOf(address), topics: (topics ?? []).map(keysOf) }
  /** One of each of these stands in the text of a block that has anything to match. */
  const words = [keys.addresses, ...keys.topics].filter((some) => some !== null)
  const found: ArchivedLog[] = []
  for (let number = from; number <= to; number++) {
    const text = blocks.receiptsText(number)
    if (text === '' || !words.every((some) => some.some((word) => text.includes(word)))) continue
    const receipts: ArchivedReceipt[] = JSON.parse(text)
    const logs = receipts.flatMap((receipt) => receipt.logs)
    found.push(...logs.filter((log) => isWanted(keys, log)))
  }
  return found
}

function keysOf(given: string | readonly string[] | null | undefined): Keys {
  const list = typeof given === 'string' ? [given] : (given ?? [])
  return list.length === 0 ? null : list.map((word) => word.toLowerCase())
}

/** A filter with more topics than the log has is never met. */
function isWanted(
  { addresses, topics }: { addresses: Keys; topics: readonly Keys[] },
  log: ArchivedLog,
): boolean {
  if (addresses !== null && !addresses.includes(log.address)) return false
  if (topics.length > log.topics.length) return false
  return topics.every((words, at) => words === null || words.includes(log.topics[at] ?? ''))
}

type Blocks = Pick<ArchivedBlocks, 'block' | 'receiptsText'>

/** The transactions of a block, the stingiest first. */
type Payments = readonly { tipWei: bigint; gas: bigint }[]

/** The fees of these blocks, as `eth_feeHistory` has them but for the next block's. */
function feeHistory(
  blocks: Blocks,
  oldest: number,
  newest: number,
  percentiles: readonly number[] | null,
) {
  const baseFeePerGas: string[] = []
  const gasUsedRatio: number[] = []
  const reward: string[][] = []
  for (let number = oldest; number <= newest; number++) {
    const block = blocks.block(number)
    assert(block !== null, 'all blocks between the lowest and the head are there')
    const feeText = String(block.baseFeePerGas)
    baseFeePerGas.push(feeText)
    gasUsedRatio.push(Number(block.gasUsed) / Number(block.gasLimit))
    if (percentiles === null) continue
    reward.push(rewards(paymentsIn(blocks, number, BigInt(feeText)), percentiles))
  }
  const told = { oldestBlock: quantity(oldest), baseFeePerGas, gasUsedRatio }
  return percentiles === null ? told : { ...told, reward }
}

function paymentsIn(blocks: Blocks, number: number, baseFeeWei: bigint): Payments {
  const receipts: ArchivedReceipt[] = JSON.parse(blocks.receiptsText(number) || '[]')
  return receipts
    .map(({ effectiveGasPrice, gasUsed }) => ({
      tipWei: BigInt(String(effectiveGasPrice)) - baseFeeWei,
      gas: BigInt(String(gasUsed)),
    }))
    .sort((one, other) => (one.tipWei < other.tipWei ? -1 : 1))
}

function rewards(payments: Payments, percentiles: readonly number[]): string[] {
  const gasUsed = payments.reduce((sum, { gas }) => sum + gas, 0n)
  return percentiles.map((percentile) => {
    const wanted = Math.floor((Number(gasUsed) * percentile) / 100)
    let reached = 0
    const payment = payments.find(({ gas }) => {
      reached += Number(gas)
      return reached >= wanted
    })
    return quantity(payment?.tipWei ?? payments.at(-1)?.tipWei ?? 0n)
  })
}
