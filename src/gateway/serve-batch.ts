import type { BadCall, Call } from '../core/rpc/jsonrpc.ts'
import type { CacheWord } from '../upstream/ask-network.ts'
import { openBatchSender } from '../upstream/batch-sender.ts'
import { type RpcContext, type Served, type ServeNeeds, serveRpc } from './serve-rpc.ts'

export type ServedBatch = {
  members: Served[]
  centiCu: number
  cache: CacheWord
  upstream: string
}

/**
 * Runs the members side by side; answers stand in the order of the questions.
 * Members that reach an upstream in the same moment travel there together.
 */
export async function serveBatch(
  needs: ServeNeeds,
  context: RpcContext,
  calls: readonly (Call | BadCall)[],
): Promise<ServedBatch> {
  const sender = openBatchSender(context.service.pool)
  const running = calls.map((call) => serveRpc(needs, context, call, sender.add))
  sender.flush()
  const members = await Promise.all(running)
  return {
    members,
    centiCu: members.reduce((sum, member) => sum + member.centiCu, 0),
    cache: members.every((member) => member.cache === 'hit') ? 'hit' : 'miss',
    upstream: upstreamsOf(members),
  }
}

/** Everyone who answered a member, `none` when we refused them all. */
function upstreamsOf(members: readonly Served[]): string {
  const names = new Set(members.map((member) => member.upstream))
  if (names.size > 1) names.delete('none')
  return [...names].join(',')
}
