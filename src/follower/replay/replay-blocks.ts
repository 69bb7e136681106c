import type { Block, BlockWants } from '../../core/chain/block.ts'
import type { World } from '../../ports/world.ts'
import { followedAt } from '../../tables/chain/chain-tail.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import { readBlock } from '../../upstream/blocks/block-reader.ts'
import { findWhichBlock } from '../which-block.ts'

/** `ahead`: the follower has not reached it yet. `unknown`: no node that answered has it. */
export type ReplayRead = { sequenceNumber: number; block: Block } | 'ahead' | 'unknown'

/** The blocks of a replay in ascending order; the next ones are read meanwhile. */
export type ReplayBlocks = { read(number: number): Promise<ReplayRead> }

/** Enough to hide most of a node's latency. Blocks can be large, and nobody waits for these. */
const AHEAD_MAX = 2

export function openReplayBlocks(
  world: World,
  service: NetworkService,
  wants: BlockWants,
  lastNumber: number,
): ReplayBlocks {
  const reads = new Map<number, Promise<ReplayRead>>()
  const start = (number: number) => {
    const reading = readHeight(world, service, wants, number)
    // Nobody may be waiting for this read yet, or ever.
    reading.catch(() => {})
    reads.set(number, reading)
    return reading
  }
  return {
    read(number) {
      const reading = reads.get(number) ?? start(number)
      for (let next = number + 1; next <= Math.min(lastNumber, number + AHEAD_MAX); next++) {
        if (!reads.has(next)) start(next)
      }
      reads.delete(number)
      return reading
    },
  }
}

async function readHeight(
  world: World,
  service: NetworkService,
  wants: BlockWants,
  number: number,
): Promise<ReplayRead> {
  const followed = await followedAt(world.database, service.network.id, number)
  if (!followed) return 'ahead'

  // A block that can still be replaced is asked for by its hash: a node may have another there.
  const found = followed.header
    ? { header: followed.header, upstream: null }
    : await findWhichBlock(service, { number })
  const block = found && (await readBlock(service, found.header, wants, found.upstream))
  // A block older than anything followed has no event; its own number is below that of any.
  return block ? { sequenceNumber: followed.sequenceNumber ?? number, block } : 'unknown'
}
