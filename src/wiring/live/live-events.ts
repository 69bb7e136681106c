import type { Settings } from '../../config/config.ts'
import { DELIVERIES_TOPIC } from '../../courier/hint-couriers.ts'
import { type LiveHub, openLiveHub } from '../../http/api/live/live-hub.ts'
import type { Drivers } from '../drivers.ts'
import type { NetworkSet } from '../networks/network-set.ts'

/** Events with deliveries, and changes of webhooks, are hinted at in all processes. */
const HINTED_TOPICS = [DELIVERIES_TOPIC, 'webhooks']

/** The streams of events, read from the store that all processes write to. */
export function openLiveEvents(
  { clock, database, entropy, signals, telemetry }: Drivers,
  settings: Settings,
  networks: NetworkSet,
): LiveHub {
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
