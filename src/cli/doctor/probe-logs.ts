import { numberToQuantity } from '../../core/hex.ts'
import { logRefusal } from '../../core/logs/log-refusal.ts'
import type { NodeProbe } from '../nodes/node-probe.ts'
import type { UpstreamFacts } from './upstream-facts.ts'

/** Ranges that vendors draw their lines at; no more is asked for, so that no node is hurt. */
const LOG_RANGES = [10, 100, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000]

/** Blocks below the head that are left out, so that none of the range is replaced meanwhile. */
const SETTLED_BLOCKS = 64

/** Nobody has a contract there, so that every answer is short. */
const NO_CONTRACT = '0x00000000000000000000000000000000d0c70125'

/**
 * Asks for wider and wider ranges of old blocks, with the address of nobody, until one is refused.
 * Null where even the first says nothing of ranges.
 */
export async function probeLogs(node: NodeProbe, head: number): Promise<UpstreamFacts['logs']> {
  const last = Math.max(0, head - SETTLED_BLOCKS)
  let accepted = 0
  for (const range of LOG_RANGES) {
    const blocks = Math.min(range, last + 1)
    const filter = {
      address: NO_CONTRACT,
      fromBlock: numberToQuantity(last + 1 - blocks),
      toBlock: numberToQuantity(last),
    }
    const answer = await node.ask('eth_getLogs', [filter])
    if (answer.kind !== 'value') {
      const said =
        answer.kind === 'refused' ? logRefusal({ ...answer, kind: 'error' }, blocks) : null
      if (accepted === 0 && said === null) return null
      return { accepted: said?.blocks ?? accepted, refused: blocks, isWholeChain: false }
    }
    accepted = blocks
    if (blocks < range) return { accepted, refused: null, isWholeChain: true }
  }
  return { accepted, refused: null, isWholeChain: false }
}
