import { DELIVERIES_TOPIC } from '../../courier/hint-couriers.ts'
import { type LiveHub, openLiveHub } from '../../http/api/live/live-hub.ts'
import type { ServiceInputs } from '../service-inputs.ts'

/** Events with deliveries, and changes of webhooks, are hinted at in all processes. */
const HINTED_TOPICS = [DELIVERIES_TOPIC, 'webhooks']

/** The streams of events, read from the store that all processes write to. */
export function openLiveEvents({ drivers, settings, networks }: ServiceInputs): LiveHub {
  const { clock, database, entropy, signals, telemetry } = drivers
  return openLiveHub({
    clock,
    database,
    entropy,
    telemetry,
    tiers: settings.tiers,
    services: networks.list,
    hints(hint) {
      const ends = HINTED_TOPICS.map((topic) => signals.subscribe(topic, hint))
      return () => ends.forEach((end) => void end())
    },
  })
}
