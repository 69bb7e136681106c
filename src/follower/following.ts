import type { Tail } from '../core/chain/tail.ts'
import type { NetworkService } from '../upstream/answers/ask-network.ts'

/** What is held of the chain, as stored. Changed by commits and by reading it anew, only. */
export type Following = {
  service: NetworkService
  tail: Tail
  /** Of the last event; null before the first. */
  sequenceNumber: number | null
  finalized: number | null
  /** False when the store may say otherwise than the above. */
  loaded: boolean
  stopped: boolean
  /** The commit under way, if one is. */
  commit: Promise<unknown> | null
  doubtedUntilMs: Map<string, number>
  /** The head that last called for an alarm. */
  alarmedBy: string | null
  /** It is still ours to follow. */
  mayCommit(): boolean
}

/** Where finality is unknown or far away, so much of the chain can still be replaced. */
export const TAIL_LENGTH_MAX = 4096

/** The tail goes back to the very first block, and that is not final yet. */
export function isWhole({ tail, finalized }: Following): boolean {
  const lowest = tail[0]
  return lowest !== undefined && tail.length < TAIL_LENGTH_MAX && lowest.number > (finalized ?? -1)
}
