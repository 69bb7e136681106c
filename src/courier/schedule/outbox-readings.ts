import type { Delivery, DeliveryKey } from '../../tables/deliveries/delivery.ts'
import type { StoredPart } from '../../tables/deliveries/results.ts'
import type { ResultCache } from '../send/result-cache.ts'
import { enlist, type Schedule, type ScheduledWebhook } from './schedule.ts'
import { offer } from './webhook-queue.ts'

/** New deliveries on their way from the store, of webhooks that are found with them. */
export type OutboxReading = {
  offer(found: { deliveries: readonly Delivery[]; results: readonly StoredPart[] }): void
  end(): void
}

export type OutboxReadings = {
  begin(): OutboxReading
  /** A delivery was settled. */
  settled(key: DeliveryKey): void
}

/** Offers queues what is read for many of them at once; others than `owned` are left out. */
export function openOutboxReadings(
  schedule: Schedule,
  results: ResultCache,
  owned: (webhook: number) => ScheduledWebhook | null,
): OutboxReadings {
  /** For each reading under way: the deliveries settled meanwhile, which it may find waiting. */
  const underWay = new Set<Set<string>>()
  return {
    begin() {
      const settledMeanwhile = new Set<string>()
      underWay.add(settledMeanwhile)
      return {
        offer({ deliveries, results: parts }) {
          for (const { event, part, ...result } of parts) results.keep(event, part, result)
          for (const delivery of deliveries) {
            const webhook = owned(delivery.webhook)
            if (!webhook || settledMeanwhile.has(keyText(delivery))) continue
            offer(webhook.queue, delivery)
            enlist(schedule, webhook)
          }
        },
        end: () => void underWay.delete(settledMeanwhile),
      }
    },
    settled(key) {
      for (const settledMeanwhile of underWay) settledMeanwhile.add(keyText(key))
    },
  }
}

function keyText({ event, webhook }: DeliveryKey): string {
  return `${event} ${webhook}`
}
