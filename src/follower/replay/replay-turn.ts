import type { Telemetry } from '../../ports/telemetry.ts'
import { followedAt } from '../../tables/chain/chain-tail.ts'
import { waitingCount } from '../../tables/deliveries/outbox.ts'
import type { Replay } from '../../tables/webhooks/replays.ts'
import { openReplayBlocks, type ReplayBlocks } from './replay-blocks.ts'
import {
  type ReplayQuery,
  type ReplayQueryNeeds,
  readReplayQuery,
  type Standstill,
} from './replay-query.ts'
import { type ReplayStepNeeds, replayStep } from './replay-step.ts'

export type ReplayTurnNeeds = ReplayQueryNeeds & ReplayStepNeeds & { telemetry: Telemetry }

/** How a turn ended, and where the replay stands. */
export type ReplayTurn = { nextBlock: number; end: Standstill | { kind: 'more' } }

/** Then others get their turn. */
const TURN_MS = 2_000

/** The courier sends what is due meanwhile: what it cannot get rid of must not pile up. */
const WAITING_MAX = 256
const BLOCKS_BETWEEN_COUNTS = 32

/** Further behind the head than that, the follower needs the nodes more than any replay. */
const LAG_BLOCKS_MAX = 5

/** One block after the other, for as long as a turn lasts. */
export async function takeReplayTurn(needs: ReplayTurnNeeds, of: Replay): Promise<ReplayTurn> {
  const { clock, database, telemetry } = needs
  const endsAtMs = clock.monotonicMs() + TURN_MS
  let replay = of
  let query: ReplayQuery | null = null
  let blocks: ReplayBlocks | null = null
  const ended = (end: ReplayTurn['end']): ReplayTurn => ({ nextBlock: replay.nextBlock, end })

  while (replay.nextBlock <= replay.toBlock) {
    const isFirst = replay === of
    if (!needs.mayGoOn()) return ended({ kind: 'waits' })
    if (!isFirst && clock.monotonicMs() >= endsAtMs) return ended({ kind: 'more' })

    const isCountDue = isFirst || replay.nextBlock % BLOCKS_BETWEEN_COUNTS === 0
    const waiting = isCountDue ? await waitingCount(database, replay.webhookId, WAITING_MAX) : 0
    if (waiting >= WAITING_MAX) return ended({ kind: 'waits' })

    const asked: ReplayQuery | Standstill = await readReplayQuery(needs, replay, query)
    if ('kind' in asked) return ended(asked)
    if (isCountDue && (await isFollowerBehind(needs, asked))) return ended({ kind: 'waits' })

    // What was read for another query may lack what this one wants.
    if (asked.plan !== query?.plan) blocks = null
    query = asked
    blocks ??= openReplayBlocks(needs, asked.service, asked.plan.wants, replay.toBlock)

    const step = await replayStep(needs, replay, asked, blocks)
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

async function isFollowerBehind(
  { database }: ReplayTurnNeeds,
  { service }: ReplayQuery,
): Promise<boolean> {
  const { head } = service.pool.selection
  if (head === null) return false
  const { id } = service.network
  return (await followedAt(database, id, head.number - LAG_BLOCKS_MAX)) === null
}
