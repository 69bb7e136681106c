import type { Clock } from '../../clock.ts'
import type { DevnetBlock } from '../../devnet-control.ts'
import { quantity, type RawBlock, type RawChain } from './raw-chain.ts'

const HEIGHTS_SHOWN = 64

/** Eight reorganisations of the deepest kind. */
const REPLACED_MAX = 256

export function openBlockHistory(chain: RawChain, clock: Clock) {
  let known = new Map<string, DevnetBlock>()
  let replaced: DevnetBlock[] = []

  const read = async (tag: string): Promise<DevnetBlock> =>
    blockOf(await chain.result<RawBlock>('eth_getBlockByNumber', tag, false))

  /** The canonical chain, highest first: blocks that were seen before are found by their hash. */
  const canonical = async (): Promise<DevnetBlock[]> => {
    const blocks = [await read('latest')]
    while (blocks.length < HEIGHTS_SHOWN) {
      const child = blocks.at(-1)
      if (child === undefined || child.number === 0) break
      blocks.push(known.get(child.parentHash) ?? (await read(quantity(child.number - 1))))
    }
    known = new Map(blocks.map((block) => [block.hash, block]))
    return blocks
  }

  return {
    /** The canonical blocks right above that height, as many as are shown. */
    async above(height: number): Promise<DevnetBlock[]> {
      const head = await read('latest')
      const highest = Math.min(head.number, height + HEIGHTS_SHOWN)
      const blocks: DevnetBlock[] = []
      for (let at = height + 1; at <= highest; at++) blocks.push(await read(quantity(at)))
      return blocks
    },

    replaced(blocks: readonly DevnetBlock[]) {
      const replacedAtMs = clock.nowMs()
      replaced.push(...blocks.map((block) => ({ ...block, replacedAtMs })))
      replaced = replaced.slice(-REPLACED_MAX)
    },

    /** Lowest first; at one height replaced ones come before the canonical one. */
    async last(): Promise<DevnetBlock[]> {
      const blocks = await canonical()
      const lowest = blocks.at(-1)?.number ?? 0
      const highest = (blocks[0]?.number ?? 0) + HEIGHTS_SHOWN
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
