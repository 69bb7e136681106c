import type { Signals } from '../ports/signals.ts'
import type { RecordedEvent } from '../tables/chain/chain-events.ts'

/** Webhooks that one hint names; the others are found by the sweeps of their couriers. */
const HINTED_MAX = 500

/** Couriers hear here of events with new deliveries, by their numbers. */
export const DELIVERIES_TOPIC = 'deliveries'

const HINT = /^(\d{1,12}) (.*)$/

/** Everything that a courier is told is a hint: a sweep finds what is not said. */
export type CourierHints = {
  remind(event: RecordedEvent): void
  remindWebhooks(webhookIds: readonly string[]): void
}

export function hintCouriers(signals: Signals): CourierHints {
  return {
    remind(event) {
      if (event.deliveries.length > 0) hintOf(signals, event, '')
    },
    remindWebhooks(webhookIds) {
      for (const id of webhookIds.slice(0, HINTED_MAX)) signals.publish('webhooks', id)
    },
  }
}

/** The courier that gives the hint is named, as it hears it too. */
export function hintOf(
  signals: Signals,
  { event }: Pick<RecordedEvent, 'event'>,
  courier: string,
): void {
  if (event !== null) signals.publish(DELIVERIES_TOPIC, `${event} ${courier}`)
}

/** The event of another's hint; null for our own, and for a text that is none. */
export function hintedEvent(hint: string, courier: string): number | null {
  const [, event, from] = HINT.exec(hint) ?? []
  return event === undefined || from === courier ? null : Number(event)
}
