import { Failure } from '../../core/errors.ts'
import { runOnce } from '../../core/query/engine/run-once.ts'
import type { QueryResult } from '../../core/query/output/query-result.ts'
import type { Database } from '../../ports/database.ts'
import type { World } from '../../ports/world.ts'
import { webhooksWithDeliveryAt } from '../../tables/chain/chain-events.ts'
import { type Replay, recordReplayStep } from '../../tables/webhooks/replays.ts'
import { variablesOnBlock } from '../variables-on-block.ts'
import type { ReplayBlock, ReplayBlocks, ReplayRead } from './replay-blocks.ts'
import type { ReplayQuery, StopReason } from './replay-query.ts'

/** The part of its process that a replay has for a while. */
export type ReplayTurn = {
  /** These webhooks have something to be sent. */
  committed(webhookIds: readonly string[]): void
  /** The replay is still this process's to run. */
  mayGoOn(): boolean
}

/** One block of a replay. `moved`: the chain has, so that prefetched blocks are out of date. */
export async function replayStep(
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

  const outcome = await runOn(database, query, read)
  const isDue = await isDelivered(database, query, outcome, nextBlock)
  if (!turn.mayGoOn()) return { kind: 'waiting' }

  const { text, bytes, truncation } = outcome
  const isVerified = read.block.isProven === true
  const recorded = await recordReplayStep(database, {
    replayId: replay.id,
    webhookId: replay.webhookId,
    network,
    blockNumber: nextBlock,
    blockHash: read.block.header.hash,
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

async function runOn(
  database: Database,
  { webhook, plan }: ReplayQuery,
  { block }: ReplayBlock,
): Promise<QueryResult> {
  const { sets } = await variablesOnBlock(database, webhook.teamId, plan.variables, block)
  return runOnce(plan, block, (name) => sets.get(name))
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
