import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { NodeJson } from '../blocks/node-json.ts'
import amsterdam from '../proofs/amsterdam.json'
import { type FakeNode, startFakeNode } from './fake-node.ts'

export type RecordedBlock = { block: NodeJson; receipts: NodeJson[]; traces: NodeJson[] }

/** The whole chain, which is too big for the repository. */
const RECORDED = fileURLToPath(
  new URL('../../../../shared/data/next-fork/geth-1.17.8.json', import.meta.url),
)

/** Consecutive Amsterdam blocks of go-ethereum: all that were recorded, or two of them. */
export function amsterdamBlocks(): RecordedBlock[] {
  const { blocks } = existsSync(RECORDED) ? JSON.parse(readFileSync(RECORDED, 'utf8')) : amsterdam
  return structuredClone(blocks)
}

/** A node whose head is the first of these blocks; `mine` moves it to the last. */
export function startRecordedNode(
  name: string,
  chainId: number,
  blocks: readonly RecordedBlock[],
): FakeNode {
  const node = startFakeNode(name)
  let head = blocks[0]
  const find = (key: unknown) =>
    blocks.find(({ block }) => block.hash === key || block.number === key)
  const header = (block: NodeJson) => ({
    ...block,
    transactions: block.transactions.map(({ hash }: NodeJson) => hash),
  })
  const blockOf = ([key, whole]: [string, boolean?]) => {
    // A current time, so that the node does not look as if it had stopped.
    const timestamp = `0x${Math.floor(Date.now() / 1000).toString(16)}`
    if (key === 'latest') return { ...header(head?.block ?? {}), timestamp }
    const block = key === 'finalized' ? blocks[0]?.block : find(key)?.block
    return block ? (whole ? block : header(block)) : null
  }
  return Object.assign(node, {
    chainId,
    mine() {
      head = blocks.at(-1)
    },
    answers: {
      eth_getBlockByNumber: blockOf,
      eth_getBlockByHash: blockOf,
      eth_getBlockReceipts: ([key]: [string]) => find(key)?.receipts ?? null,
      debug_traceBlockByHash: ([key]: [string]) => find(key)?.traces ?? null,
    },
  })
}
