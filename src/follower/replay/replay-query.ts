import type { Webhook } from '../../core/delivery/webhook.ts'
import { Rejection } from '../../core/errors.ts'
import { compileForNetwork } from '../../core/query/language/compile-for-network.ts'
import type { QueryPlan } from '../../core/query/language/query-plan.ts'
import type { Database } from '../../ports/database.ts'
import type { Replay } from '../../tables/webhooks/replays.ts'
import { findWebhook } from '../../tables/webhooks/webhooks.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'

export type ReplayQueryNeeds = {
  database: Database
  /** What answers for each network. */
  services(): readonly NetworkService[]
}

/** What a replay runs, as its webhook is now. */
export type ReplayQuery = { webhook: Webhook; plan: QueryPlan; service: NetworkService }

/** Why a replay does not go on now. */
export type Standstill =
  /** It has ended, or is somebody else's. */
  | { kind: 'over' }
  /** Its webhook is. */
  | { kind: 'gone' }
  /** It waits for something that will come by itself, or by its owner. */
  | { kind: 'waits' }
  /** The nodes let it down. There is hope while nobody answers, and less when they do. */
  | { kind: 'trouble'; reason: string; isHopeful: boolean }
  /** It cannot go on, ever. */
  | { kind: 'hopeless'; reason: string }

/** `before` is what it was last, so that a query is compiled once for many blocks. */
export async function readReplayQuery(
  needs: ReplayQueryNeeds,
  { teamId, webhookId, network }: Replay,
  before: ReplayQuery | null,
): Promise<ReplayQuery | Standstill> {
  const found = await findWebhook(needs.database, teamId, webhookId)
  if (!found) return { kind: 'gone' }

  const { webhook } = found
  if (webhook.state !== 'active') return { kind: 'waits' }

  const service = needs.services().find((one) => one.network.id === network)
  if (!service) {
    return { kind: 'trouble', reason: `${network} is not configured here.`, isHopeful: true }
  }
  if (before?.service === service && before.webhook.query === webhook.query) {
    return { ...before, webhook }
  }

  const plan = compileForNetwork(webhook.query, service.network)
  return plan instanceof Rejection
    ? { kind: 'hopeless', reason: plan.message }
    : { webhook, plan, service }
}
