import type { Settings } from '../../config/config.ts'
import { openInProcessSignals } from '../../embedded/in-process-signals.ts'
import {
  frameSignals,
  type LimitExchange,
  openLimitExchange,
  PACE_BETWEEN_MACHINES,
} from '../../metering/limit-exchange.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Entropy } from '../../ports/entropy.ts'
import type { DerivedKeys } from '../../ports/secrets.ts'
import type { Signals } from '../../ports/signals.ts'
import type { Telemetry } from '../../ports/telemetry.ts'

type Needs = { clock: Clock; entropy: Entropy; telemetry: Telemetry; secrets: DerivedKeys }

/** Enough that no two clusters on one NATS server have it in common. */
const CLUSTER_NAME_BYTES = 12

/** Hints between processes; without a way for them the sweeps of each find every change. */
export async function openClusterSignals(needs: Needs, settings: Settings): Promise<Signals> {
  const { telemetry, secrets } = needs
  const { nats, database, postgres } = settings
  if (nats) {
    const [{ openRelayedSignals }, { openNatsWire }] = await Promise.all([
      import('../../cluster/signals/relayed-signals.ts'),
      import('../../cluster/signals/nats-wire.ts'),
    ])
    const name = secrets.derive('name of the cluster').slice(0, CLUSTER_NAME_BYTES).toHex()
    const options = { ...nats, cluster: name }
    return openRelayedSignals(needs, (hear, notice) => openNatsWire(needs, options, hear, notice))
  }
  const url = postgres.transactionPooler ? postgres.directUrl : database
  if (url === undefined) {
    const reason = 'a transaction pooler carries none: configure postgres.directUrl or nats'
    telemetry.log('warn', 'signals_absent', { reason })
    return openInProcessSignals()
  }
  const [{ openRelayedSignals }, { openPostgresWire }] = await Promise.all([
    import('../../cluster/signals/relayed-signals.ts'),
    import('../../cluster/signals/postgres-wire.ts'),
  ])
  return openRelayedSignals(needs, (hear, notice) => openPostgresWire(needs, url, hear, notice))
}

/** Shares limits with the gateways of other processes. */
export function openClusterExchange(
  clock: Clock,
  telemetry: Telemetry,
  signals: Signals,
  name: string,
): LimitExchange {
  const carrier = frameSignals(signals, name)
  return openLimitExchange(clock, telemetry, carrier, PACE_BETWEEN_MACHINES)
}
