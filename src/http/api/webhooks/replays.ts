import { Rejection } from '../../../core/errors.ts'
import * as replays from '../../../tables/webhooks/replays.ts'
import { findWebhook } from '../../../tables/webhooks/webhooks.ts'
import { followedUpstreams } from '../../../upstream/pool/selection.ts'
import type { WireReplay } from '../../contract/contract.ts'
import { noSuch } from '../acting-team.ts'
import type { Handler, TeamCaller } from '../calls/handler.ts'
import type { ManagementApi } from '../management-api.ts'
import { evmService } from '../queries/asked-query.ts'
import { ID_LENGTH } from './webhook-call-parts.ts'
import { wireReplay } from './wire-delivery.ts'

/** Months of most chains. It keeps a slip of the finger from asking for all of one. */
const REPLAY_BLOCKS_MAX = 1_000_000

/** Limits of one team: replays deliver mostly nothing and cost nothing, and share the nodes. */
const TEAM_LIMITS = { replaysMax: 10, blocksMax: REPLAY_BLOCKS_MAX }

/** A replay may take hours, so asking again at once makes no sense. */
const AGAIN_S = 60

/** The newest ones; nobody goes through more by hand. */
const LISTED_REPLAYS_MAX = 100

export const replayWebhook: Handler<'replayWebhook'> = async (api, call) => {
  const { webhook_id: webhookId, from_block: fromBlock, to_block: toBlock } = call.body
  const found = await findWebhook(api.database, call.team.id, webhookId)
  if (!found) return noSuch(`webhook ${webhookId}`)
  if (found.webhook.state === 'paused') {
    return new Rejection('validation', `webhook_id: ${webhookId} is paused; unpause it first.`)
  }

  const { network } = found.webhook
  const invalid = invalidRange(api, network, fromBlock, toBlock)
  if (invalid) return invalid
  const refused = api.limits.queries.count(call.team.id, found.webhook.query)
  if (refused) return refused

  const id = `rpl_${api.entropy.alphanumeric(ID_LENGTH)}`
  const createdAtMs = api.clock.nowMs()
  const replay = { id, teamId: call.team.id, webhookId, network, fromBlock, toBlock, createdAtMs }
  const started = await replays.startReplay(api.database, replay, TEAM_LIMITS)
  const tooMuch = refusalOf(started, replay)
  if (tooMuch) return tooMuch

  api.webhooksChanged(webhookId)
  return replayOf(api, call, id)
}

export const listReplays: Handler<'listReplays'> = async (api, call) => {
  const found = await replays.listReplays(api.database, call.team.id, LISTED_REPLAYS_MAX)
  return { data: found.map(wireReplay) }
}

export const getReplay: Handler<'getReplay'> = (api, call) => {
  return replayOf(api, call, call.parameters.id)
}

export const cancelReplay: Handler<'cancelReplay'> = async (api, call) => {
  const { database, clock } = api
  const id = call.parameters.id
  const replay = await replays.cancelReplay(database, call.team.id, id, clock.nowMs())
  return replay ? { data: wireReplay(replay) } : noSuch(`replay ${id}`)
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
  api: ManagementApi,
  network: string,
  fromBlock: number,
  toBlock: number,
): Rejection | null {
  const service = evmService(api, network)
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
  const { selection } = service.pool
  if (selection.head === null) return null
  // Webhooks follow the first node that has a block, before others confirm it.
  const heights = followedUpstreams(selection).map(({ head }) => head?.number ?? 0)
  const newest = Math.max(selection.head.number, ...heights)
  if (toBlock <= newest) return null
  return new Rejection('validation', `to_block: the newest block of ${network} is ${newest}.`)
}

async function replayOf(
  api: ManagementApi,
  call: TeamCaller,
  id: string,
): Promise<{ data: WireReplay } | Rejection> {
  const replay = await replays.findReplay(api.database, call.team.id, id)
  return replay ? { data: wireReplay(replay) } : noSuch(`replay ${id}`)
}
