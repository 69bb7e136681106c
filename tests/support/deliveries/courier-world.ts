import { openMachineSignals } from '../../../src/ports/driver-parts/machine-signals.ts'
import { openSecrets } from '../../../src/system/machine/secrets.ts'
import { systemEntropy } from '../../../src/system/machine/system-entropy.ts'
import { quietTelemetry } from '../basics/quiet-telemetry.ts'
import { testClock } from '../basics/test-clock.ts'
import { scriptedEgress } from '../nodes/scripted-egress.ts'

export type CourierWorld = ReturnType<typeof openCourierWorld>

/** All that a courier needs but its store; no retry comes sooner or later than planned. */
export function openCourierWorld() {
  const entropy = systemEntropy()
  return {
    clock: testClock(),
    egress: scriptedEgress(),
    entropy: { ...entropy, fraction: () => 0.5 },
    secrets: openSecrets(entropy.bytes(32), entropy),
    signals: openMachineSignals(),
    telemetry: quietTelemetry(),
  }
}
