import { limitNow, opensAtMs } from '../../core/delivery/host-health.ts'
import { WEBHOOK_SLOTS_MAX } from './allocate-slots.ts'
import type { ScheduledWebhook } from './schedule.ts'
import { nextNew, wants } from './webhook-queue.ts'

/**
 * Since when the oldest new delivery to the webhook waits for this process; null where it waits
 * for its destination, which has as many as it takes or is given up, or for nobody: more couriers
 * would not send it sooner. `sinceMs` is that of the oldest in the outbox, which may be under way.
 * Strictly ordered webhooks are left out: what is new there may have to wait for a retry.
 */
export function heldUpSinceMs(
  { queue, host }: ScheduledWebhook,
  sinceMs: number,
  nowMs: number,
): number | null {
  if (!host || !wants(queue, 'new')) return null
  if (opensAtMs(host.health) !== null || host.slots >= limitNow(host.health, nowMs)) return null
  if (queue.slots >= WEBHOOK_SLOTS_MAX) return null
  // First attempts start in order, so whatever is prefetched is newer than what is under way.
  return queue.unsettled.size === 0 ? sinceMs : (nextNew(queue)?.createdAtMs ?? null)
}
