import type { Webhook } from '../../core/delivery/webhook.ts'
import { Rejection } from '../../core/errors.ts'
import { compileForNetwork } from '../../core/query/language/compile-for-network.ts'
import type { QueryPlan } from '../../core/query/language/query-plan.ts'
import type { Database } from '../../ports/database.ts'
import type { Replay } from '../../tables/webhooks/replays.ts'
import { findWebhook } from '../../tables/webhooks/webhooks.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'

/** The query that a replay runs, as its webhook is now. */
export type ReplayQuery = { webhook: Webhook; plan: QueryPlan; service: NetworkService }

export type StopReason =
  /** The replay has ended, or another process runs it. */
  | { kind: 'over' }
  | { kind: 'webhook_deleted' }
  /** The replay waits for something that will come by itself, or by its owner. */
  | { kind: 'waiting' }
  /** The nodes let it down. A transient error, in which none answered, is retried for ever. */
  | { kind: 'error'; reason: string; isTransient: boolean }
  | { kind: 'impossible'; reason: string }

/** `before` is the query of the last block: one is compiled once for many blocks. */
export async function readReplayQuery(
  database: Database,
  services: readonly NetworkService[],
  { teamId, webhookId, network }: Replay,
  before: ReplayQuery | null,
): Promise<ReplayQuery | StopReason> {
  const found = await findWebhook(database, teamId, webhookId)
  if (!found) return { kind: 'webhook_deleted' }

  const { webhook } = found
  if (webhook.state !== 'active') return { kind: 'waiting' }

  const service = services.find((one) => one.network.id === network)
  if (!service) {
    return { kind: 'error', reason: `${network} is not configured here.`, isTransient: true }
  }
  if (before?.service === service && before.webhook.query === webhook.query) {
    return { ...before, webhook }
  }

  const plan = compileForNetwork(webhook.query, service.network)
  return plan instanceof Rejection
    ? { kind: 'impossible', reason: plan.message }
    : { webhook, plan, service }
}
