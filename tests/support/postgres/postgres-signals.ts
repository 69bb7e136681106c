import { openPostgresWire } from '../../../src/cluster/signals/postgres-wire.ts'
import { openRelayedSignals } from '../../../src/cluster/signals/relayed-signals.ts'
import type { Signals } from '../../../src/ports/signals.ts'
import { systemClock } from '../../../src/system/machine/system-clock.ts'
import { systemEntropy } from '../../../src/system/machine/system-entropy.ts'
import { quietTelemetry } from '../basics/quiet-telemetry.ts'

const needs = { clock: systemClock(), entropy: systemEntropy(), telemetry: quietTelemetry() }

/** Opens signals as a process on this database would. */
export function openPostgresSignals(url: string): Signals {
  return openRelayedSignals(needs, (hear, notice) => openPostgresWire(needs, url, hear, notice))
}
