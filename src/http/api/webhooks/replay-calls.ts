import { Rejection } from '../../../core/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Database } from '../../../ports/database.ts'
import type { Entropy } from '../../../ports/entropy.ts'
import * as replays from '../../../tables/webhooks/replays.ts'
import { findWebhook } from '../../../tables/webhooks/webhooks.ts'
import type { WireReplay } from '../../contract/contract.ts'
import type { Handler, TeamCaller } from '../calls/handler.ts'
import { evmService, type ServiceNeeds } from '../queries/evm-service.ts'
import type { QueryCompiler } from '../queries/query-compiler.ts'
import { noSuchWebhook } from './webhook-calls.ts'

export type ReplayCallNeeds = ServiceNeeds & {
  database: Database
  clock: Clock
  entropy: Entropy
  queries: Pick<QueryCompiler, 'count'>
  /** Tells the replaying process at once; without it, polling would find the replay. */
  webhooksChanged(webhookId?: string): void
}

/** 36^16, about 2^82: no two will ever meet. */
const ID_LENGTH = 16

/** Months of most chains. It keeps a slip of the finger from asking for all of one. */
const REPLAY_BLOCKS_MAX = 1_000_000

/** Limits of one team: replays deliver mostly nothing and cost nothing, and share the nodes. */
const TEAM_LIMITS = { replaysMax: 10, blocksMax: REPLAY_BLOCKS_MAX }

/** A replay may take hours, so asking again at once makes no sense. */
const AGAIN_S = 60

/** The newest ones; nobody goes through more by hand. */
const LISTED_REPLAYS_MAX = 100

export const replayWebhook: Handler<'replayWebhook', ReplayCallNeeds> = async (needs, call) => {
  const { webhook_id: webhookId, from_block: fromBlock, to_block: toBlock } = call.body
  const found = await findWebhook(needs.database, call.team.id, webhookId)
  if (!found) return noSuchWebhook(webhookId)
  if (found.webhook.state === 'paused') {
    return new Rejection('validation', `webhook_id: ${webhookId} is paused; unpause it first.`)
  }

  const { network } = found.webhook
  const invalid = invalidRange(needs, network, fromBlock, toBlock)
  if (invalid) return invalid
  const refused = needs.queries.count(call.team.id, found.webhook.query)
  if (refused) return refused

  const id = `rpl_${needs.entropy.alphanumeric(ID_LENGTH)}`
  const createdAtMs = needs.clock.nowMs()
  const replay = { id, teamId: call.team.id, webhookId, network, fromBlock, toBlock, createdAtMs }
  const started = await replays.startReplay(needs.database, replay, TEAM_LIMITS)
  const tooMuch = refusalOf(started, replay)
  if (tooMuch) return tooMuch

  needs.webhooksChanged(webhookId)
  return replayOf(needs, call, id)
}

export const listReplays: Handler<'listReplays', ReplayCallNeeds> = async (needs, call) => {
  const found = await replays.listReplays(needs.database, call.team.id, LISTED_REPLAYS_MAX)
  return { data: found.map(wireReplay) }
}

export const getReplay: Handler<'getReplay', ReplayCallNeeds> = (needs, call) => {
  return replayOf(needs, call, call.parameters.id)
}

export const cancelReplay: Handler<'cancelReplay', ReplayCallNeeds> = async (needs, call) => {
  const { database, clock } = needs
  const id = call.parameters.id
  const replay = await replays.cancelReplay(database, call.team.id, id, clock.nowMs())
  return replay ? { data: wireReplay(replay) } : noSuchReplay(id)
}

type Started = Awaited<ReturnType<typeof replays.startReplay>>

function refusalOf(started: Started, { webhookId }: replays.NewReplay): Rejection | null {
  const { replaysMax, blocksMax } = TEAM_LIMITS
  if (started.kind === 'running') {
    return new Rejection('validation', `webhook_id: a replay of ${webhookId} is running already.`)
  }
  if (started.kind === 'too_many') {
    const text =
      `webhook_id: a team may have ${replaysMax} replays running at once; ` +
      'wait until one has ended, or cancel one.'
    return new Rejection('too_many_requests', text, { retryAfterS: AGAIN_S })
  }
  if (started.kind === 'started') return null
  return new Rejection(
    'validation',
    `from_block, to_block: all running replays of a team together may have ${blocksMax} blocks ` +
      `to go, and ${started.blocks} are under way.`,
  )
}

function invalidRange(
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
  call: TeamCaller,
  id: string,
): Promise<{ data: WireReplay } | Rejection> {
  const replay = await replays.findReplay(needs.database, call.team.id, id)
  return replay ? { data: wireReplay(replay) } : noSuchReplay(id)
}

function noSuchReplay(id: string): Rejection {
  return new Rejection('not_found', `This team has no replay ${id}.`)
}

export function wireReplay(replay: replays.Replay): WireReplay {
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
