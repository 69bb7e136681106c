import type { Tail } from '../core/chain/tail.ts'
import type { NetworkService } from '../upstream/answers/ask-network.ts'

/** A follower's part of its chain, as stored. Only commits and reading it anew change it. */
export type FollowerState = {
  service: NetworkService
  tail: Tail
  /** The last event's; null before the first. */
  sequenceNumber: number | null
  finalized: number | null
  /** False when the store may say otherwise than the above. */
  isLoaded: boolean
  /** Another process may have moved the chain since the store was last asked. */
  mayDiffer: boolean
  isStopped: boolean
  /** The commit under way, if one is. */
  commit: Promise<unknown> | null
  /** Heads, by hash, that led nowhere, and until when they are left alone. */
  backedOffUntilMs: Map<string, number>
  /** The head, by hash, that the last alarm was about. */
  lastAlarmHash: string | null
  /** The network is still this process's to follow. */
  mayCommit(): boolean
}

/** The part of the chain that can still be replaced where finality is unknown or far away. */
export const TAIL_LENGTH_MAX = 4096

/** The tail goes back to the very first block, and that is not final yet. */
export function isWhole({ tail, finalized }: FollowerState): boolean {
  const lowest = tail[0]
  return lowest !== undefined && tail.length < TAIL_LENGTH_MAX && lowest.number > (finalized ?? -1)
}
