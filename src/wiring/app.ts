import { join } from 'node:path'
import type { Settings } from '../config/config.ts'
import { openAccountStores } from '../embedded/account-store/account-store.ts'
import { openOwnStore } from '../embedded/database/own-store.ts'
import { openInProcessSignals } from '../embedded/in-process-signals.ts'
import { openEgress } from '../system/egress/egress.ts'
import { openSecrets } from '../system/machine/secrets.ts'
import { openSpillFiles } from '../system/machine/spill-files.ts'
import { openSystem, type WriteLog, writeLogAs } from '../system/open-system.ts'
import { instanceSecret } from './first-run.ts'
import type { World } from './world.ts'

export { type WriteLog, writeLogAs }

/** With what only the server at the edge needs to know of the machine. */
type EmbeddedWorld = World & Pick<ReturnType<typeof openSystem>, 'descriptors'>

const STORE_THREAD = new URL('./store-thread.ts', import.meta.url).href

/** The world of one machine: a file for the store, memory for the rest. */
export async function openEmbeddedWorld(
  settings: Settings,
  write?: WriteLog,
): Promise<EmbeddedWorld> {
  const system = openSystem(write)
  const { data: folder } = settings
  const store = await openOwnStore(system, {
    folder,
    script: STORE_THREAD,
    freeBytesMin: settings.limits.diskFreeBytesMin,
    prepare: (hasStore) => instanceSecret(folder, settings.secret, system.entropy, hasStore),
  })
  const { allowPrivateDestinations: allowPrivate } = settings.webhooks
  return {
    ...system,
    accountStores: openAccountStores(folder),
    database: store.database,
    egress: openEgress({ clock: system.clock, allowPrivate }),
    secrets: openSecrets(store.prepared, system.entropy),
    signals: openInProcessSignals(),
    storeHealth: store.storeHealth,
    spill: openSpillFiles(join(folder, 'spill')),
  }
}

/** What a check of the configuration needs: no store, and nothing written. */
export function openProbeWorld(): Pick<World, 'clock' | 'outbound' | 'sockets' | 'telemetry'> {
  return openSystem(() => {})
}

/** The chains of local development, loaded only where they are wanted. */
export async function startLocalChains({ clock }: World, devnet: Settings['devnet']) {
  const [{ startEvmChain }, { startSolanaLedger }] = await Promise.all([
    import('../devnet/evm/evm-chain.ts'),
    import('../devnet/solana/solana-ledger.ts'),
  ])
  const [evm, solana] = await Promise.all([
    startEvmChain({ clock, blockTimeMs: devnet.blockTimeMs }),
    startSolanaLedger({ clock, slotTimeMs: devnet.slotTimeMs }),
  ])
  return { evm, solana }
}
