import { openNatsWire } from '../../../src/cluster/signals/nats-wire.ts'
import { openRelayedSignals } from '../../../src/cluster/signals/relayed-signals.ts'
import { parseNatsServers } from '../../../src/core/servers/parse-nats-servers.ts'
import { systemClock } from '../../../src/system/machine/system-clock.ts'
import { systemEntropy } from '../../../src/system/machine/system-entropy.ts'
import { quietTelemetry } from '../basics/quiet-telemetry.ts'

/** A process of its own that says `<pid> <text>` to `answers` when it hears a text on `calls`. */
const servers = parseNatsServers(process.argv[2] ?? '')
if (typeof servers === 'string') throw new Error(servers)
const needs = { clock: systemClock(), entropy: systemEntropy(), telemetry: quietTelemetry() }
const signals = openRelayedSignals(needs, (hear, notice) =>
  openNatsWire(needs, { cluster: 'test', servers }, hear, notice),
)
signals.subscribe('calls', (text) => signals.publish('answers', `${process.pid} ${text}`))

// It ends with the process that started it.
for await (const _ of Bun.stdin.stream()) {
}
await signals.close()
