import { Rejection } from '../core/errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { Database } from '../ports/database.ts'
import type { Entropy } from '../ports/entropy.ts'
import * as replays from '../tables/replays.ts'
import { findWebhook } from '../tables/webhooks.ts'
import type { TeamCall } from './api-call.ts'
import type * as wire from './contract.ts'
import { evmService, type ServiceNeeds } from './evm-service.ts'
import type { QueryCompiler } from './query-compiler.ts'
import { noSuchWebhook } from './webhook-calls.ts'

export type ReplayCallNeeds = ServiceNeeds & {
  database: Database
  clock: Clock
  entropy: Entropy
  queries: Pick<QueryCompiler, 'count'>
  /** Tells whoever replays at once; without it they would find out by polling. */
  webhooksChanged(webhookId?: string): void
}

/** 36^16, about 2^82: no two will ever meet. */
const ID_LENGTH = 16

/** Months of most chains. It keeps a slip of the finger from asking for all of one. */
const REPLAY_BLOCKS_MAX = 1_000_000

/** The newest ones; nobody goes through more by hand. */
const LISTED_REPLAYS_MAX = 100

export async function replayWebhook(
  needs: ReplayCallNeeds,
  call: TeamCall,
): Promise<{ data: wire.Replay } | Rejection> {
  const asked = call.body as wire.NewReplay
  const { webhook_id: webhookId, from_block: fromBlock, to_block: toBlock } = asked
  const found = await findWebhook(needs.database, call.team.id, webhookId)
  if (!found) return noSuchWebhook(webhookId)
  if (found.webhook.state === 'paused') {
    return new Rejection('validation', `webhook_id: ${webhookId} is paused; unpause it first.`)
  }

  const { network } = found.webhook
  const unfit = unfitRange(needs, network, fromBlock, toBlock)
  if (unfit) return unfit
  const refused = needs.queries.count(call.team.id, found.webhook.query)
  if (refused) return refused

  const id = `rpl_${needs.entropy.alphanumeric(ID_LENGTH)}`
  const createdAtMs = needs.clock.nowMs()
  const replay = { id, teamId: call.team.id, webhookId, network, fromBlock, toBlock, createdAtMs }
  const created = await replays.createReplay(needs.database, replay)
  if (!created) {
    return new Rejection('validation', `webhook_id: a replay of ${webhookId} is running already.`)
  }

  needs.webhooksChanged(webhookId)
  return replayOf(needs, call, id)
}

export async function listReplays(
  needs: ReplayCallNeeds,
  call: TeamCall,
): Promise<{ data: wire.Replay[] }> {
  const found = await replays.listReplays(needs.database, call.team.id, LISTED_REPLAYS_MAX)
  return { data: found.map(wireReplay) }
}

export function getReplay(
  needs: ReplayCallNeeds,
  call: TeamCall,
): Promise<{ data: wire.Replay } | Rejection> {
  return replayOf(needs, call, String(call.parameters.id))
}

export async function cancelReplay(
  needs: ReplayCallNeeds,
  call: TeamCall,
): Promise<{ data: wire.Replay } | Rejection> {
  const { database, clock } = needs
  const id = String(call.parameters.id)
  const replay = await replays.cancelReplay(database, call.team.id, id, clock.nowMs())
  return replay ? { data: wireReplay(replay) } : noSuchReplay(id)
}

function unfitRange(
  needs: ReplayCallNeeds,
  network: string,
  fromBlock: number,
  toBlock: number,
): Rejection | null {
  const service = evmService(needs, network)
  if (service instanceof Rejection) return service
  if (fromBlock > toBlock) {
    return new Rejection('validation', 'from_block must not be after to_block.')
  }
  if (toBlock - fromBlock >= REPLAY_BLOCKS_MAX) {
    return new Rejection(
      'validation',
      `from_block, to_block: a replay may take ${REPLAY_BLOCKS_MAX} blocks.`,
    )
  }
  const { head } = service.pool.selection
  if (head === null || toBlock <= head.number) return null
  return new Rejection('validation', `to_block: the newest block of ${network} is ${head.number}.`)
}

async function replayOf(
  needs: ReplayCallNeeds,
  call: TeamCall,
  id: string,
): Promise<{ data: wire.Replay } | Rejection> {
  const replay = await replays.findReplay(needs.database, call.team.id, id)
  return replay ? { data: wireReplay(replay) } : noSuchReplay(id)
}

function noSuchReplay(id: string): Rejection {
  return new Rejection('not_found', `This team has no replay ${id}.`)
}

function wireReplay(replay: replays.Replay): wire.Replay {
  return {
    id: replay.id,
    webhook_id: replay.webhookId,
    network: replay.network,
    from_block: replay.fromBlock,
    to_block: replay.toBlock,
    next_block: replay.nextBlock,
    state: replay.state,
    delivered: replay.delivered,
    skipped: replay.skipped,
    error: replay.error,
    time_created: replay.createdAtMs,
    time_updated: replay.updatedAtMs,
  }
}
