import { seededChance } from '../basics/seeded-chance.ts'
import { makeRawBlock } from '../blocks/block-maker.ts'
import type { NodeJson } from '../blocks/node-json.ts'
import { type FakeNode, startFakeNode } from './fake-node.ts'

/** A fake node with a chain of whole blocks, which outlives the process that asks it. */
export type ChainNode = FakeNode & {
  /** All blocks of the canonical chain so far, lowest first. */
  blocks: readonly NodeJson[]
  /** Any block that ever was canonical. */
  blockOf(hash: string): NodeJson | undefined
  /** Replaces the last `depth` blocks by as many others, and one more. */
  reorganise(depth: number): void
}

const FIRST = 1000

/** A node whose blocks hold a few transactions each; `mine` makes the next one. */
export function startChainNode(seed: number): ChainNode {
  const chance = seededChance(seed)
  const node = startFakeNode('chain')
  const blocks: NodeJson[] = []
  const byKey = new Map<string, { block: NodeJson; receipts: NodeJson[] }>()

  const mine = () => {
    const number = FIRST + blocks.length
    const parentHash = blocks.at(-1)?.hash ?? `0x${'0'.repeat(64)}`
    // Few keys, so that filters meet now and then.
    const { block, receipts } = makeRawBlock(chance, { number, parentHash, transactions: 3 })
    blocks.push(block)
    for (const key of [block.hash, block.number]) byKey.set(key, { block, receipts })
    node.head = { number, hash: block.hash, timestampMs: Date.now() }
  }
  const timestamp = () => `0x${Math.floor(node.head.timestampMs / 1000).toString(16)}`
  const find = ([key, whole]: [string, boolean?]) => {
    if (key === 'finalized') return header(blocks[0] ?? {})
    const block = key === 'latest' ? blocks.at(-1) : byKey.get(key)?.block
    if (!block) return null
    // A gateway that compares it with its clock must not think that the node has stopped.
    return key === 'latest' ? { ...header(block), timestamp: timestamp() } : shown(block, whole)
  }
  mine()
  return Object.assign(node, {
    blocks,
    mine,
    blockOf: (hash: string) => byKey.get(hash)?.block,
    reorganise(depth: number) {
      blocks.length -= depth
      for (let at = 0; at <= depth; at++) mine()
    },
    answers: {
      eth_getBlockByNumber: find,
      eth_getBlockByHash: find,
      eth_getBlockReceipts: ([key]: [string]) => byKey.get(key)?.receipts ?? null,
    },
  })
}

function shown(block: NodeJson, whole: boolean | undefined): NodeJson {
  return whole ? block : header(block)
}

function header({ transactions = [], ...rest }: NodeJson): NodeJson {
  return { ...rest, transactions: transactions.map(({ hash }: NodeJson) => hash) }
}
