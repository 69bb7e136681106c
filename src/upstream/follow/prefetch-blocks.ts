import type { Block, BlockWants, Header } from '../../core/chain/block.ts'
import type { NetworkService } from '../answers/ask-network.ts'
import { readBlock } from '../blocks/block-reader.ts'
import type { Upstream } from '../node/upstream.ts'

export type BlockPrefetch = ReturnType<typeof prefetchBlocks>

/** Enough to hide a node's latency while catching up; more would only fill memory. */
const AHEAD_MAX = 4

export function prefetchBlocks(
  service: NetworkService,
  headers: readonly Header[],
  preferred: Upstream,
) {
  const reads = new Map<string, Promise<Block | null>>()
  const start = (header: Header, wants: BlockWants) => {
    const reading = readBlock(service, header, wants, preferred)
    // Nobody may be waiting for this read yet, or ever.
    reading.catch(() => {})
    reads.set(header.hash, reading)
    return reading
  }
  return {
    /** Null when the upstreams do not know the block any more. */
    async read(header: Header, wants: BlockWants): Promise<Block | null> {
      const reading = reads.get(header.hash) ?? start(header, wants)
      const at = headers.findIndex(({ hash }) => hash === header.hash)
      for (const next of headers.slice(at + 1, at + 1 + AHEAD_MAX)) {
        if (!reads.has(next.hash)) start(next, wants)
      }
      reads.delete(header.hash)
      const block = await reading
      // A webhook created meanwhile may want more than was asked for.
      if (block && !covers(block.has, wants)) {
        return readBlock(service, header, wants, preferred)
      }
      return block
    },
  }
}

function covers(has: BlockWants, wants: BlockWants): boolean {
  return (
    (has.transactions || !wants.transactions) &&
    (has.receipts || !wants.receipts) &&
    (has.traces || !wants.traces) &&
    (has.senders || !wants.senders)
  )
}
