import { seededChance } from '../basics/seeded-chance.ts'
import { type FakeNode, hang, startFakeNode } from '../nodes/fake-node.ts'
import { makeRawBlock } from './block-maker.ts'
import type { NodeJson } from './node-json.ts'

/** One chain of whole blocks that several fake nodes hold. */
export type SharedChain = {
  nodes: readonly FakeNode[]
  /** The canonical blocks, lowest first. */
  blocks: readonly NodeJson[]
  tip(): NodeJson
  /** The logs of canonical blocks from this height on. */
  logsFrom(number: number): NodeJson[]
  mine(count?: number): void
  /** Replaces the last `depth` blocks by as many others, and one more. */
  reorganise(depth: number): void
  /** A node answers nothing, answers 503, or as usual again. */
  break(at: number, how: 'hang' | 'down' | 'behind' | null): void
  stop(): void
}

const FIRST = 1000

export function startSharedChain(seed: number, names: readonly string[]): SharedChain {
  const chance = seededChance(seed)
  const blocks: NodeJson[] = []
  const byKey = new Map<string, { block: NodeJson; receipts: NodeJson[] }>()
  const nodes = names.map((name) => startFakeNode(name))
  /** The height at which a node that is behind stands still. */
  const stuckAt = new Map<FakeNode, NodeJson>()

  const mineOne = () => {
    const number = FIRST + blocks.length
    const parentHash = blocks.at(-1)?.hash ?? `0x${'0'.repeat(64)}`
    const wish = { number, parentHash, transactions: 2, logsMax: 3, keys: 2, framesMax: 1 }
    const { block, receipts } = makeRawBlock(chance, wish)
    blocks.push(block)
    byKey.set(block.hash, { block, receipts })
  }
  const mine = (count = 1) => {
    for (let at = 0; at < count; at++) mineOne()
    for (const node of nodes) node.mine()
  }
  const tip = () => blocks.at(-1) ?? {}
  const shownBy = (node: FakeNode, key: string) => {
    if (key === 'finalized') return blocks[0]
    if (key === 'latest') return stuckAt.get(node) ?? tip()
    if (key.length === 66) return byKey.get(key)?.block
    return blocks[Number(key) - FIRST]
  }
  for (const node of nodes) {
    const find = ([key, whole]: [string, boolean?]) => {
      const block = shownBy(node, key)
      if (!block) return null
      // A gateway that compares it with its clock must not think that the node has stopped.
      const timestamp = `0x${Math.floor(Date.now() / 1000).toString(16)}`
      return whole ? block : { ...header(block), ...(key === 'latest' ? { timestamp } : {}) }
    }
    node.answers.eth_getBlockByNumber = find
    node.answers.eth_getBlockByHash = find
    node.answers.eth_getBlockReceipts = ([key]: [string]) => byKey.get(key)?.receipts ?? null
  }
  mineOne()
  return {
    nodes,
    blocks,
    tip,
    mine,
    logsFrom: (number) =>
      blocks
        .filter((block) => Number(block.number) >= number)
        .flatMap(({ hash }) => byKey.get(hash)?.receipts ?? [])
        .flatMap(({ logs }) => logs),
    reorganise(depth) {
      blocks.length -= depth
      mine(depth + 1)
    },
    break(at, how) {
      const node = nodes[at]
      if (!node) return
      stuckAt.delete(node)
      if (how === 'behind') stuckAt.set(node, tip())
      if (how === 'hang') node.misbehave = hang
      else if (how === 'down') node.misbehave = () => new Response('no', { status: 503 })
      else node.misbehave = null
    },
    stop() {
      for (const node of nodes) node.stop()
    },
  }
}

function header({ transactions = [], ...rest }: NodeJson): NodeJson {
  return { ...rest, transactions: transactions.map(({ hash }: NodeJson) => hash) }
}
