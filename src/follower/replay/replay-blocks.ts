import type { Block, BlockWants } from '../../core/chain/block.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Database } from '../../ports/database.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { followedAt } from '../../tables/chain/chain-tail.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import { readBlock } from '../../upstream/blocks/block-reader.ts'
import { findWhichBlock } from '../which-block.ts'

type Needs = { clock: Clock; database: Database; telemetry: Telemetry }

/** A block of the past with the number that its delivery carries. */
export type ReplayBlock = { sequenceNumber: number; block: Block }

/** `ahead`: it has not been followed so far. `unknown`: no node that answered has it. */
export type ReplayRead = ReplayBlock | 'ahead' | 'unknown'

/** The blocks of a replay in ascending order, the next ones being read meanwhile. */
export type ReplayBlocks = { read(number: number): Promise<ReplayRead> }

/** Enough to hide most of a node's latency. Blocks can be large, and nobody waits for these. */
const AHEAD_MAX = 2

export function openReplayBlocks(
  needs: Needs,
  service: NetworkService,
  wants: BlockWants,
  lastNumber: number,
): ReplayBlocks {
  const begun = new Map<number, Promise<ReplayRead>>()
  const begin = (number: number) => {
    const reading = readHeight(needs, service, wants, number)
    // Nobody may be waiting for it yet, or ever.
    reading.catch(() => {})
    begun.set(number, reading)
    return reading
  }
  return {
    read(number) {
      const reading = begun.get(number) ?? begin(number)
      for (let next = number + 1; next <= Math.min(lastNumber, number + AHEAD_MAX); next++) {
        if (!begun.has(next)) begin(next)
      }
      begun.delete(number)
      return reading
    },
  }
}

async function readHeight(
  needs: Needs,
  service: NetworkService,
  wants: BlockWants,
  number: number,
): Promise<ReplayRead> {
  const followed = await followedAt(needs.database, service.network.id, number)
  if (!followed) return 'ahead'

  // What can still be replaced is asked for by our hash: a node may have another block there.
  const found = followed.header
    ? { header: followed.header, upstream: null }
    : await findWhichBlock(service, { number })
  const block =
    found && (await readBlock({ ...needs, service }, found.header, wants, found.upstream))
  // Older than anything followed it has no event, and its own number is below that of any.
  return block ? { sequenceNumber: followed.sequenceNumber ?? number, block } : 'unknown'
}
