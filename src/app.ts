import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from './config.ts'
import { openInProcessQueue } from './embedded/in-process-queue.ts'
import { openInProcessSignals } from './embedded/in-process-signals.ts'
import { openSqliteFile } from './embedded/sqlite-database.ts'
import { instanceSecret } from './first-run.ts'
import { openEgress } from './system/egress.ts'
import { openSystem, type WriteLog } from './system/open-system.ts'
import { openSecrets } from './system/secrets.ts'
import type { World } from './world.ts'

export type { WriteLog }

/** Loaded by the thread of the store. */
const WORKS = new URL('./tables/works.ts', import.meta.url).href

/** The world of one machine: a file for the store, memory for the rest. */
export async function openEmbeddedWorld(settings: Settings, write?: WriteLog): Promise<World> {
  mkdirSync(settings.data, { recursive: true, mode: 0o700 })
  const system = openSystem(write)
  const { allowPrivateDestinations: allowPrivate } = settings.webhooks
  const secret = instanceSecret(settings.data, settings.secret, system.entropy)
  return {
    ...system,
    database: await openSqliteFile(join(settings.data, 'headgate.sqlite'), WORKS),
    egress: openEgress({ clock: system.clock, allowPrivate }),
    queue: openInProcessQueue(),
    secrets: openSecrets(secret, system.entropy),
    signals: openInProcessSignals(),
  }
}

/** What a check of the configuration needs: no store, and nothing written. */
export function openProbeWorld(): Pick<World, 'clock' | 'outbound' | 'sockets' | 'telemetry'> {
  return openSystem(() => {})
}

/** The chain of local development, loaded only where it is wanted. */
export async function startLocalChain(world: World, blockTimeMs: number) {
  const { startEvmChain } = await import('./devnet/evm-chain.ts')
  return startEvmChain({ clock: world.clock, blockTimeMs })
}
