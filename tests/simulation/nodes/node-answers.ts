import { quantityToNumber } from '../../../src/core/hex.ts'
import { textsOf } from '../block-texts.ts'
import type { SimBlock } from '../chain-block.ts'
import type { FakeHead, SimNode } from './sim-node.ts'

export const CHAIN_ID = 1

/** The result of a call in JSON, or the error that the node has for it. */
export type Answered = { result: string } | { code: number; message: string }

const ZERO_BLOOM = `0x${'00'.repeat(256)}`
const FULL_BLOOM = `0x${'ff'.repeat(256)}`

/** The answer of a node to a call that reached it, truthful or not. */
export function answerCall(node: SimNode, method: string, params: readonly unknown[]): Answered {
  const [which, whole] = params
  if (method === 'eth_chainId') return { result: `"0x${CHAIN_ID.toString(16)}"` }
  if (method === 'eth_getBlockByNumber') return { result: byTagOrNumber(node, which, whole) }
  if (method === 'eth_getBlockByHash') return { result: byHash(node, which, whole) }
  if (method === 'eth_getBlockReceipts' && node.plan.receipts === 'at_once') {
    return { result: receiptsOf(node, which) }
  }
  if (method === 'eth_getTransactionReceipt') return { result: receiptOf(node, which) }
  if (method === 'debug_traceBlockByHash') {
    const block = known(node, which)
    return block ? { result: textsOf(block).traces } : { code: -32000, message: 'block not found' }
  }
  return { code: -32601, message: `the method ${method} does not exist/is not available` }
}

/** A head as a socket announces it. */
export function announcedText(head: SimBlock | FakeHead): string {
  return 'transactions' in head ? textsOf(head).light : fakeText(head)
}

function byTagOrNumber(node: SimNode, which: unknown, whole: unknown): string {
  const { fake } = node
  if (which === 'latest') return fake ? fakeText(fake) : told(node, node.tip, whole)
  if (which === 'finalized') return told(node, node.line.get(node.final), whole)
  const number = quantityToNumber(which)
  if (fake && fake.number === number) return fakeText(fake)
  return told(node, number === null ? undefined : node.line.get(number), whole)
}

function byHash(node: SimNode, which: unknown, whole: unknown): string {
  return node.struck('no_block') ? 'null' : told(node, known(node, which), whole)
}

function known({ tree, line, seen, plan }: SimNode, hash: unknown): SimBlock | undefined {
  const block = tree.byHash(String(hash))
  if (!block || !seen.has(block)) return undefined
  return plan.forgetsOrphans && line.get(block.number) !== block ? undefined : block
}

function told(node: SimNode, block: SimBlock | undefined, whole: unknown): string {
  if (!block) return 'null'
  const { whole: wholeText, light } = textsOf(block)
  if (whole !== true) return light
  if (node.struck('wrong_bloom')) return otherwise(wholeText, { logsBloom: wrongBloom(wholeText) })
  if (node.struck('lost_transactions')) return otherwise(wholeText, { transactions: [] })
  return wholeText
}

function receiptsOf(node: SimNode, which: unknown): string {
  const block = known(node, which)
  if (!block || node.struck('no_receipts')) return 'null'
  if (node.struck('empty_receipts')) return '[]'
  const sibling = node.struck('sibling_receipts') ? siblingOf(node, block) : undefined
  const { receipts } = textsOf(sibling ?? block)
  return `[${receipts.map((receipt) => withItsLogs(node, receipt)).join(',')}]`
}

/** As nodes do, of the block in which the transaction stands on their own chain. */
function receiptOf(node: SimNode, hash: unknown): string {
  const blocks = node.tree.withTransaction(String(hash))
  const block = blocks.find((one) => node.line.get(one.number) === one)
  if (!block || node.struck('no_receipts')) return 'null'
  const other = node.struck('sibling_receipts') ? blocks.find((one) => one !== block) : undefined
  const from = other ?? block
  const index = from.transactions.findIndex((one) => one.hash === hash)
  return withItsLogs(node, textsOf(from).receipts[index] ?? 'null')
}

/** Only its bloom tells that logs are missing from a receipt. */
function withItsLogs(node: SimNode, receipt: string): string {
  return node.struck('lost_logs') ? otherwise(receipt, { logs: [] }) : receipt
}

function siblingOf({ tree }: SimNode, block: SimBlock): SimBlock | undefined {
  return tree.at(block.number).find((one) => one !== block)
}

function wrongBloom(text: string): string {
  return text.includes(ZERO_BLOOM) ? FULL_BLOOM : ZERO_BLOOM
}

function otherwise(text: string, members: object): string {
  return JSON.stringify({ ...JSON.parse(text), ...members })
}

function fakeText({ number, hash, parentHash, timestampS }: FakeHead): string {
  return JSON.stringify({
    number: `0x${number.toString(16)}`,
    hash,
    parentHash,
    timestamp: `0x${timestampS.toString(16)}`,
    logsBloom: ZERO_BLOOM,
    transactions: [],
  })
}
