import type { Signals } from '../ports/signals.ts'
import type { RecordedEvent } from '../tables/chain/chain-events.ts'

/** Webhooks that one hint names; the others are found by the sweeps of their couriers. */
const HINTED_MAX = 500

/** Couriers hear here which webhooks, by their numbers, have something new to send. */
export const DELIVERIES_TOPIC = 'deliveries'

/** Everything that a courier is told is a hint: a sweep finds what is not said. */
export type CourierHints = {
  /** An event was committed. */
  remind(event: RecordedEvent): void
  /** These webhooks have something to send again. */
  remindWebhooks(webhookIds: readonly string[]): void
}

/** Tells the couriers of other processes what was committed here. */
export function hintCouriers(signals: Signals): CourierHints {
  return {
    remind({ deliveries }) {
      hintOf(
        signals,
        deliveries.map(({ webhook }) => webhook),
      )
    },
    remindWebhooks(webhookIds) {
      for (const id of webhookIds.slice(0, HINTED_MAX)) signals.publish('webhooks', id)
    },
  }
}

export function hintOf(signals: Signals, webhooks: readonly number[]): void {
  if (webhooks.length === 0) return
  signals.publish(DELIVERIES_TOPIC, webhooks.slice(0, HINTED_MAX).join(' '))
}
