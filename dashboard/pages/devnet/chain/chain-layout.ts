import type { Devnet } from '@headgate/client'

export type ChainBlock = Devnet['blocks'][number]

/** A block with its place: `column` counts heights, `lane` counts up from the canonical chain. */
export type PlacedBlock = {
  block: ChainBlock
  column: number
  lane: number
  /** A block of this height was replaced by it. */
  isNew: boolean
}

/** The blocks of one reorganisation that were replaced together. */
type Branch = { blocks: ChainBlock[]; from: number; to: number }

/**
 * Places blocks for the drawing: the canonical chain in one lane, and each replaced branch in the
 * lowest lane above that has room for it, the newest branch first.
 */
export function chainLayout(blocks: readonly ChainBlock[]): PlacedBlock[] {
  const first = Math.min(...blocks.map(({ number }) => number))
  const replaced = blocks.filter((block) => !block.is_canonical)
  const heights = new Set(replaced.map(({ number }) => number))
  const lanes: Branch[][] = []
  const placed = blocks
    .filter((block) => block.is_canonical)
    .map((block) => ({
      block,
      column: block.number - first,
      lane: 0,
      isNew: heights.has(block.number),
    }))
  for (const branch of branchesOf(replaced)) {
    let at = lanes.findIndex((lane) => lane.every((other) => isApart(branch, other)))
    if (at < 0) at = lanes.push([]) - 1
    lanes[at]?.push(branch)
    for (const block of branch.blocks) {
      placed.push({ block, column: block.number - first, lane: at + 1, isNew: false })
    }
  }
  return placed
}

/** Newest first. */
function branchesOf(replaced: readonly ChainBlock[]): Branch[] {
  const byTime = Map.groupBy(replaced, ({ time_replaced: time }) => time ?? 0)
  const branches = [...byTime].toSorted(([a], [b]) => b - a)
  return branches.map(([, blocks]) => {
    const numbers = blocks.map(({ number }) => number)
    return { blocks, from: Math.min(...numbers), to: Math.max(...numbers) }
  })
}

/** One column between two branches keeps their links apart. */
function isApart(a: Branch, b: Branch): boolean {
  return a.from > b.to + 1 || a.to + 1 < b.from
}
