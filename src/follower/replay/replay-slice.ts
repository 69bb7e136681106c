import { Failure } from '../../core/errors.ts'
import { runOnce } from '../../core/query/engine/run-once.ts'
import type { QueryResult } from '../../core/query/output/query-result.ts'
import type { Database } from '../../ports/database.ts'
import type { World } from '../../ports/world.ts'
import { webhooksWithDeliveryAt } from '../../tables/chain/chain-events.ts'
import { followedAt } from '../../tables/chain/chain-tail.ts'
import { waitingCount } from '../../tables/deliveries/outbox.ts'
import { type Replay, recordReplayStep } from '../../tables/webhooks/replays.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import { variablesOnBlock } from '../variables-on-block.ts'
import { openReplayBlocks, type ReplayBlocks, type ReplayRead } from './replay-blocks.ts'
import { type ReplayQuery, readReplayQuery, type StopReason } from './replay-query.ts'

export type ReplaySlice = { nextBlock: number; end: StopReason | { kind: 'more' } }

type ReplayTurn = {
  /** These webhooks have something to be sent. */
  committed(webhookIds: readonly string[]): void
  /** The replay is still this process's to run. */
  mayGoOn(): boolean
}

/** After this long, other replays get their slice. */
const SLICE_MS = 2_000

/** Deliveries that may wait for the courier: what it cannot send must not pile up. */
const WAITING_MAX = 256

const BLOCKS_BETWEEN_COUNTS = 32

/** Further behind the head than that, the follower needs the nodes more than any replay. */
const LAG_BLOCKS_MAX = 5

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

/** One block of a replay. `moved`: the chain has, so that prefetched blocks are out of date. */
async function replayStep(
  { clock, database }: World,
  turn: ReplayTurn,
  replay: Replay,
  query: ReplayQuery,
  blocks: ReplayBlocks,
): Promise<'recorded' | 'moved' | StopReason> {
  const { network, nextBlock } = replay
  const read = await readBlock(replay, blocks)
  if (read === 'ahead') return { kind: 'waiting' }
  if (read === 'unknown') {
    return failed(`No ${network} node has block ${nextBlock} any more.`, false)
  }
  if ('kind' in read) return read

  const { block } = read
  const { webhook, plan } = query
  const { sets } = await variablesOnBlock(database, webhook.teamId, plan.variables, block)
  const outcome = runOnce(plan, block, (name) => sets.get(name))
  const isDue = await isDelivered(database, query, outcome, nextBlock)
  if (!turn.mayGoOn()) return { kind: 'waiting' }

  const { text, bytes, truncation } = outcome
  const isVerified = block.isProven === true
  const recorded = await recordReplayStep(database, {
    replayId: replay.id,
    webhookId: replay.webhookId,
    network,
    blockNumber: nextBlock,
    blockHash: block.header.hash,
    sequenceNumber: read.sequenceNumber,
    due: isDue ? { data: text, bytes, truncation, isVerified } : null,
    atMs: clock.nowMs(),
  })
  if (recorded === 'lost') return { kind: 'over' }
  if (recorded === 'recorded' && isDue) turn.committed([replay.webhookId])
  return recorded
}

async function readBlock(
  { network, nextBlock }: Replay,
  blocks: ReplayBlocks,
): Promise<ReplayRead | StopReason> {
  try {
    return await blocks.read(nextBlock)
  } catch (thrown) {
    // The owner is not told which node it was, nor what it said: that is for the log.
    const code = thrown instanceof Failure ? thrown.code : null
    if (code === 'upstream_timed_out') {
      return failed(`No ${network} node gave block ${nextBlock} in time.`, true)
    }
    if (code === 'upstream_unreachable') {
      return failed(`No ${network} node could be asked for block ${nextBlock}.`, true)
    }
    if (code === 'upstream_answered_badly') {
      return failed(`No ${network} node could give all of block ${nextBlock}.`, false)
    }
    throw thrown
  }
}

async function isDelivered(
  database: Database,
  { webhook }: ReplayQuery,
  { empty }: QueryResult,
  number: number,
): Promise<boolean> {
  if (!empty || !webhook.skipEmpty) return true
  if (!webhook.notifyRemoved) return false
  return (await webhooksWithDeliveryAt(database, webhook.network, number)).has(webhook.id)
}

function failed(reason: string, isTransient: boolean): StopReason {
  return { kind: 'error', reason, isTransient }
}
