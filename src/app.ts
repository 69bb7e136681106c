import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from './config.ts'
import { openInProcessQueue } from './embedded/in-process-queue.ts'
import { openInProcessSignals } from './embedded/in-process-signals.ts'
import { openSqliteFile } from './embedded/sqlite-database.ts'
import { instanceSecret } from './first-run.ts'
import { openOutbound } from './system/http-outbound.ts'
import { jsonTelemetry } from './system/json-telemetry.ts'
import { openSecrets } from './system/secrets.ts'
import { stdoutWriter } from './system/stdout-writer.ts'
import { systemClock } from './system/system-clock.ts'
import { systemEntropy } from './system/system-entropy.ts'
import type { World } from './world.ts'

/** Where log lines go. */
export type WriteLog = (text: string) => void | Promise<void>

/** The world of one machine: a file for the store, memory for the rest. */
export async function openEmbeddedWorld(
  settings: Settings,
  write: WriteLog = stdoutWriter(),
): Promise<World> {
  mkdirSync(settings.data, { recursive: true, mode: 0o700 })
  const clock = systemClock()
  const entropy = systemEntropy()
  const secret = instanceSecret(settings.data, settings.secret, entropy)
  return {
    clock,
    entropy,
    database: await openSqliteFile(join(settings.data, 'headgate.sqlite')),
    outbound: openOutbound(),
    queue: openInProcessQueue(),
    secrets: openSecrets(secret, entropy),
    signals: openInProcessSignals(),
    telemetry: jsonTelemetry({ clock, write }),
  }
}

/** What a check of the configuration needs: no store, and nothing written. */
export function openProbeWorld(): Pick<World, 'clock' | 'outbound' | 'telemetry'> {
  const clock = systemClock()
  const quiet = { clock, write: () => {} }
  return { clock, outbound: openOutbound(), telemetry: jsonTelemetry(quiet) }
}

/** The chain of local development, loaded only where it is wanted. */
export async function startLocalChain(world: World, blockTimeMs: number) {
  const { startEvmChain } = await import('./devnet/evm-chain.ts')
  return startEvmChain({ clock: world.clock, blockTimeMs })
}
