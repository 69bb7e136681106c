import type { Tail } from '../../core/chain/tail.ts'
import type { NetworkService } from '../answers/ask-network.ts'

export type ChainState = {
  service: NetworkService
  tail: Tail
  finalized: number | null
  /** Heads, by hash, that led nowhere, and until when they are left alone. */
  backedOffUntilMs: Map<string, number>
}

/** The part of the chain that can still be replaced where finality is unknown or far away. */
export const TAIL_LENGTH_MAX = 4096

/** The tail goes back to the very first block, and that is not final yet. */
export function isWhole({ tail, finalized }: ChainState): boolean {
  const lowest = tail[0]
  return lowest !== undefined && tail.length < TAIL_LENGTH_MAX && lowest.number > (finalized ?? -1)
}
