import type { Chance } from '../support/basics/seeded-chance.ts'
import { makeBlock, type SimBlock } from './chain-block.ts'

export type Finality = { kind: 'depth'; depth: number } | { kind: 'tag'; lag: number }

/** All blocks there ever were, and which of them are canonical now. */
export type ForkTree = {
  tip(): SimBlock
  byHash(hash: string): SimBlock | undefined
  /** Blocks at a height, orphans and made-up ones too. */
  at(number: number): readonly SimBlock[]
  /** The blocks that hold this transaction. */
  withTransaction(hash: string): readonly SimBlock[]
  /** Lower heights are never taken back. */
  floor(): number
  /** A block of a node's own on top of any other, canonical for nobody else. */
  makeUp(parent: SimBlock): SimBlock
  grow(): void
  /** Another branch becomes canonical, new or old, higher or lower. */
  reorganise(): void
  /** Calls `hear` after each change of the canonical tip. */
  subscribe(hear: (tip: SimBlock) => void): void
  figures(): { height: number; blocks: number; deepest: number }
}

type Tree = {
  chance: Chance
  finality: Finality
  nowS: () => number
  tip: SimBlock
  highest: number
  final: number
  serial: number
  deepest: number
  byHash: Map<string, SimBlock>
  byNumber: Map<number, SimBlock[]>
  byTransaction: Map<string, SimBlock[]>
  /** Honest blocks that have no honest child. */
  leaves: Set<SimBlock>
}

const FIRST_NUMBER_MAX = 1_000
const AHEAD_MAX = 2

export function openForkTree(chance: Chance, finality: Finality, nowS: () => number): ForkTree {
  const tree = plant(chance, finality, nowS)
  const hearers: ((tip: SimBlock) => void)[] = []
  const moveTo = (tip: SimBlock) => {
    if (tip === tree.tip) return
    tree.deepest = Math.max(tree.deepest, tree.tip.number - commonAncestor(tree.tip, tip).number)
    tree.tip = tip
    tree.highest = Math.max(tree.highest, tip.number)
    if (finality.kind === 'depth') tree.final = Math.max(tree.final, tree.highest - finality.depth)
    // The tag follows in leaps, as the votes of whole epochs do.
    else if (chance.fraction() < 0.2) tree.final = Math.max(tree.final, tip.number - finality.lag)
    for (const hear of hearers) hear(tip)
  }
  const firstNumber = tree.tip.number
  for (let blocks = 0; blocks < depthOf(finality) + 2; blocks++) moveTo(add(tree, tree.tip, true))

  return {
    tip: () => tree.tip,
    byHash: (hash) => tree.byHash.get(hash),
    at: (number) => tree.byNumber.get(number) ?? [],
    withTransaction: (hash) => tree.byTransaction.get(hash) ?? [],
    floor: () => Math.max(tree.final, firstNumber),
    makeUp: (parent) => add(tree, parent, false),
    grow: () => moveTo(add(tree, tree.tip, true)),
    reorganise: () => moveTo(otherBranch(tree, Math.max(tree.final, firstNumber))),
    subscribe: (hear) => void hearers.push(hear),
    figures: () => ({
      height: tree.highest - firstNumber,
      blocks: tree.byHash.size,
      deepest: tree.deepest,
    }),
  }
}

function plant(chance: Chance, finality: Finality, nowS: () => number): Tree {
  const number = chance.between(0, FIRST_NUMBER_MAX)
  const making = { serial: 1, parent: null, honest: true, timestampS: nowS() }
  const root = makeBlock(chance, making, number, null)
  return {
    chance,
    finality,
    nowS,
    tip: root,
    highest: root.number,
    final: 0,
    serial: 1,
    deepest: 0,
    byHash: new Map([[root.hash, root]]),
    byNumber: new Map([[root.number, [root]]]),
    byTransaction: new Map(root.transactions.map(({ hash }) => [hash, [root]])),
    leaves: new Set([root]),
  }
}

function depthOf(finality: Finality): number {
  return finality.kind === 'depth' ? finality.depth : finality.lag
}

function add(tree: Tree, parent: SimBlock, honest: boolean): SimBlock {
  const siblings = tree.byNumber.get(parent.number + 1) ?? []
  const making = { serial: ++tree.serial, parent, honest, timestampS: tree.nowS() }
  const block = makeBlock(tree.chance, making, 0, siblings.at(-1) ?? null)
  tree.byHash.set(block.hash, block)
  tree.byNumber.set(block.number, [...siblings, block])
  for (const { hash } of block.transactions) {
    tree.byTransaction.set(hash, [...(tree.byTransaction.get(hash) ?? []), block])
  }
  if (honest) {
    tree.leaves.delete(parent)
    tree.leaves.add(block)
  }
  return block
}

/** The tip of a branch that leaves ours not below the floor. */
function otherBranch(tree: Tree, floor: number): SimBlock {
  const { chance, tip } = tree
  const depthMax = tip.number - floor
  if (depthMax < 1) return add(tree, tip, true)
  const back = [...tree.leaves].filter(
    (leaf) => leaf !== tip && commonAncestor(tip, leaf).number >= floor,
  )
  if (back.length > 0 && chance.fraction() < 0.3) return chance.pick(back)

  const shallow = chance.fraction() < 0.75
  const depth = shallow ? Math.min(depthMax, chance.between(1, 2)) : chance.between(1, depthMax)
  let block = tip
  for (let down = 0; down < depth; down++) block = block.parent as SimBlock
  // Longer mostly; as long or shorter where a node shows the branch before it has grown.
  const ahead = chance.fraction() < 0.6 ? chance.between(1, AHEAD_MAX) : -chance.between(0, depth)
  const length = Math.max(1, depth + ahead)
  for (let up = 0; up < length; up++) block = add(tree, block, true)
  return block
}

/** The highest block below both. */
export function commonAncestor(one: SimBlock, other: SimBlock): SimBlock {
  let [left, right] = [one, other]
  while (left !== right) {
    if (left.number >= right.number) left = left.parent as SimBlock
    else right = right.parent as SimBlock
  }
  return left
}
