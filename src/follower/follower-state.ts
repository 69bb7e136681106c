import type { World } from '../ports/world.ts'
import type { RecordedEvent } from '../tables/chain/chain-events.ts'
import type { ChainState } from '../upstream/follow/chain-state.ts'
import type { StandingQueries } from './standing-queries.ts'

/** A follower's part of its chain, as stored. Only commits and reading it anew change it. */
export type FollowerState = ChainState & {
  world: World
  standing: StandingQueries
  /** Called after the commit of an event that brought something to webhooks. */
  committed(event: RecordedEvent): void
  /** The last event's; null before the first. */
  sequenceNumber: number | null
  /** False when the store may say otherwise than the above. */
  isLoaded: boolean
  /** Another process may have moved the chain since the store was last asked. */
  mayDiffer: boolean
  isStopped: boolean
  commit: Promise<unknown> | null
  /** The head, by hash, that the last alarm was about. */
  lastAlarmHash: string | null
  /** The network is still this process's to follow. */
  mayCommit(): boolean
}
