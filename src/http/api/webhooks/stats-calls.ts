import type { Clock } from '../../../ports/clock.ts'
import type { Database } from '../../../ports/database.ts'
import { type WebhookStats, webhookStats } from '../../../tables/deliveries/log/webhook-stats.ts'
import type { WireWebhookStats } from '../../contract/contract.ts'
import type { Handler } from '../calls/handler.ts'

export type StatsCallNeeds = { database: Database; clock: Clock; stats: RecentStats }

/** The stats of teams that asked for them lately. */
export type RecentStats = {
  of(teamId: string, read: () => Promise<readonly WebhookStats[]>): Promise<readonly WebhookStats[]>
}

/** Nobody sees a difference, and a page that is loaded again and again costs no more. */
const KEPT_MS = 1_000

/** Teams that are kept at once, with some 10 KB for each of up to 100 webhooks. */
const TEAMS_MAX = 20

export const getWebhookStats: Handler<'getWebhookStats', StatsCallNeeds> = async (needs, call) => {
  const { database, clock, stats } = needs
  const { id } = call.team
  const found = await stats.of(id, () => webhookStats(database, id, clock.nowMs()))
  return { data: found.map(wireStats) }
}

/** Reads a team's stats once for all who ask at the same moment. */
export function openRecentStats({ clock }: { clock: Clock }): RecentStats {
  type Kept = { atMs: number; stats: Promise<readonly WebhookStats[]> }
  const kept = new Map<string, Kept>()
  return {
    of(teamId, read) {
      const nowMs = clock.monotonicMs()
      const known = kept.get(teamId)
      if (known && nowMs - known.atMs < KEPT_MS) return known.stats
      kept.delete(teamId)
      for (const [oldest] of kept) if (kept.size >= TEAMS_MAX) kept.delete(oldest)
      const stats = read()
      kept.set(teamId, { atMs: nowMs, stats })
      // A reading that failed is done again by the next.
      stats.catch(() => kept.delete(teamId))
      return stats
    },
  }
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
