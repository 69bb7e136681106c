import type { Clock } from '../../clock.ts'
import type { DevnetBlock } from '../../devnet-control.ts'
import { quantity, type RawBlock, type RawChain } from './raw-chain.ts'

const HEIGHTS_SHOWN = 64

/** Eight reorganisations of the deepest kind. */
const REPLACED_MAX = 256

export function openBlockHistory(chain: RawChain, clock: Clock) {
  let replaced: DevnetBlock[] = []

  const headNumber = async () => Number(await chain.result<string>('eth_blockNumber'))

  /** The canonical blocks from that height on, as many as are shown. */
  const canonicalFrom = async (height: number, head: number): Promise<DevnetBlock[]> => {
    const blocks: DevnetBlock[] = []
    for (let at = height; at <= head && blocks.length < HEIGHTS_SHOWN; at++) {
      blocks.push(blockOf(await chain.result('eth_getBlockByNumber', quantity(at), false)))
    }
    return blocks
  }

  return {
    /** Has the chain go back to that height, and remembers the blocks above it. */
    async whileGoingBack(height: number, goBack: () => Promise<void>) {
      const blocks = await canonicalFrom(height + 1, await headNumber())
      await goBack()
      const replacedAtMs = clock.nowMs()
      replaced.push(...blocks.map((block) => ({ ...block, replacedAtMs })))
      replaced = replaced.slice(-REPLACED_MAX)
    },

    /** Lowest first; at one height replaced ones come before the canonical one. */
    async last(): Promise<DevnetBlock[]> {
      const head = await headNumber()
      const lowest = Math.max(0, head - HEIGHTS_SHOWN + 1)
      const highest = head + HEIGHTS_SHOWN
      const blocks = await canonicalFrom(lowest, head)
      const hashes = new Set(blocks.map(({ hash }) => hash))
      // A block may have become canonical again: the same transactions at the same moment.
      const gone = replaced.filter(
        ({ number, hash }) => number >= lowest && number <= highest && !hashes.has(hash),
      )
      return [...gone, ...blocks].sort((one, other) => one.number - other.number)
    },
  }
}

function blockOf(raw: RawBlock): DevnetBlock {
  return {
    number: Number(raw.number),
    hash: raw.hash,
    parentHash: raw.parentHash,
    transactions: raw.transactions.length,
    timeMs: Number(raw.timestamp) * 1000,
    replacedAtMs: null,
  }
}
