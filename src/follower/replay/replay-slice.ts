import type { Database } from '../../ports/database.ts'
import type { World } from '../../ports/world.ts'
import { followedAt } from '../../tables/chain/chain-tail.ts'
import { waitingCount } from '../../tables/deliveries/outbox.ts'
import type { Replay } from '../../tables/webhooks/replays.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import { openReplayBlocks, type ReplayBlocks } from './replay-blocks.ts'
import { type ReplayQuery, readReplayQuery, type StopReason } from './replay-query.ts'
import { type ReplayTurn, replayStep } from './replay-step.ts'

/** The end of a slice: the block to go on with, and why it stopped there. */
export type ReplaySlice = { nextBlock: number; end: StopReason | { kind: 'more' } }

/** After this long, other replays get their slice. */
const SLICE_MS = 2_000

/** Deliveries that may wait for the courier: what it cannot send must not pile up. */
const WAITING_MAX = 256
const BLOCKS_BETWEEN_COUNTS = 32

/** Further behind the head than that, the follower needs the nodes more than any replay. */
const LAG_BLOCKS_MAX = 5

/** Replays one block after the other, for as long as a slice lasts. */
export async function runReplaySlice(
  world: World,
  services: () => readonly NetworkService[],
  turn: ReplayTurn,
  of: Replay,
): Promise<ReplaySlice> {
  const { clock, database, telemetry } = world
  const endsAtMs = clock.monotonicMs() + SLICE_MS
  let replay = of
  let query: ReplayQuery | null = null
  let blocks: ReplayBlocks | null = null
  const ended = (end: ReplaySlice['end']): ReplaySlice => ({ nextBlock: replay.nextBlock, end })

  while (replay.nextBlock <= replay.toBlock) {
    const isFirst = replay === of
    if (!turn.mayGoOn()) return ended({ kind: 'waiting' })
    if (!isFirst && clock.monotonicMs() >= endsAtMs) return ended({ kind: 'more' })

    const isCountDue = isFirst || replay.nextBlock % BLOCKS_BETWEEN_COUNTS === 0
    const waiting = isCountDue ? await waitingCount(database, replay.webhookId, WAITING_MAX) : 0
    if (waiting >= WAITING_MAX) return ended({ kind: 'waiting' })

    const asked: ReplayQuery | StopReason = await readReplayQuery(
      database,
      services(),
      replay,
      query,
    )
    if ('kind' in asked) return ended(asked)
    if (isCountDue && (await isFollowerBehind(database, asked))) return ended({ kind: 'waiting' })

    // Blocks read for another query may lack what this one wants.
    if (asked.plan !== query?.plan) blocks = null
    query = asked
    blocks ??= openReplayBlocks(world, asked.service, asked.plan.wants, replay.toBlock)

    const step = await replayStep(world, turn, replay, asked, blocks)
    if (step === 'moved') {
      blocks = null
      continue
    }
    if (step !== 'recorded') return ended(step)
    telemetry.count('headgate_replayed_blocks_total', { network: replay.network })
    replay = { ...replay, nextBlock: replay.nextBlock + 1 }
  }
  return ended({ kind: 'over' })
}

async function isFollowerBehind(database: Database, { service }: ReplayQuery): Promise<boolean> {
  const { head } = service.pool.selection
  if (head === null) return false
  const { id } = service.network
  return (await followedAt(database, id, head.number - LAG_BLOCKS_MAX)) === null
}
