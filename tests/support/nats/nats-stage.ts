import { afterEach } from 'bun:test'
import { openNatsWire } from '../../../src/cluster/signals/nats-wire.ts'
import { openRelayedSignals } from '../../../src/cluster/signals/relayed-signals.ts'
import { parseNatsServers } from '../../../src/core/servers/parse-nats-servers.ts'
import type { Signals } from '../../../src/ports/signals.ts'
import type { LogFields, Telemetry } from '../../../src/ports/telemetry.ts'
import { systemClock } from '../../../src/system/machine/system-clock.ts'
import { systemEntropy } from '../../../src/system/machine/system-entropy.ts'
import { quietTelemetry } from '../basics/quiet-telemetry.ts'

/** Signals over NATS, with all that they log and count. */
export type NatsSignals = Signals & {
  logged: { event: string; fields: LogFields }[]
  /** By metric and reason: `headgate_signals_lost_total away`. */
  counts: Map<string, number>
}

type WireOptions = { cluster?: string; credentialsFile?: string; caFile?: string }

const opened = new Set<Signals>()

/** Opens signals as a process with these `nats` servers would; they are closed after the test. */
export function openNatsSignals(servers: string, options: WireOptions = {}): NatsSignals {
  const parsed = parseNatsServers(servers)
  if (typeof parsed === 'string') throw new Error(parsed)
  const logged: NatsSignals['logged'] = []
  const counts: NatsSignals['counts'] = new Map()
  const telemetry: Telemetry = {
    ...quietTelemetry(),
    log: (_, event, fields) => void logged.push({ event, fields }),
    count: (name: string, { reason }: { reason?: string }, by = 1) => {
      const key = `${name} ${reason}`
      counts.set(key, (counts.get(key) ?? 0) + by)
    },
  }
  const needs = { clock: systemClock(), entropy: systemEntropy(), telemetry }
  const signals = openRelayedSignals(needs, (hear, notice) =>
    openNatsWire(needs, { cluster: 'test', servers: parsed, ...options }, hear, notice),
  )
  opened.add(signals)
  return { ...signals, logged, counts }
}

/** To be called once in each file that opens signals. */
export function closeNatsSignals(): void {
  afterEach(async () => {
    await Promise.all([...opened].map((signals) => signals.close()))
    opened.clear()
  })
}
