import { type WebhookStats, webhookStats } from '../../../tables/deliveries/log/webhook-stats.ts'
import type { WireWebhookStats } from '../../contract/contract.ts'
import type { Handler } from '../calls/handler.ts'

export const getWebhookStats: Handler<'getWebhookStats'> = async (api, call) => {
  const { database, clock, limits } = api
  const { id } = call.team
  const found = await limits.stats.of(id, () => webhookStats(database, id, clock.nowMs()))
  return { data: found.map(wireStats) }
}

function wireStats(stats: WebhookStats): WireWebhookStats {
  const { delivered, failed, waiting, retried, recent } = stats
  const last = recent.at(-1)
  return {
    webhook_id: stats.webhookId,
    last_24_hours: { delivered, failed, waiting, retried, time_from: stats.fromMs },
    success_percent: percentOf(delivered, delivered + failed),
    last_delivery: last
      ? {
          id: last.id,
          time_created: last.createdAtMs,
          status: last.state,
          status_code: last.lastAttempt?.status ?? null,
          block_number: last.blockNumber,
        }
      : null,
    recent: recent.map((one) => ({
      status: one.state,
      attempts_made: one.attemptsMade,
      rerun: one.isRerun,
      status_code: one.lastAttempt?.status ?? null,
    })),
  }
}

/** Rounded down, so that only what is whole is called 100. */
function percentOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.floor((part / whole) * 10_000) / 100
}
