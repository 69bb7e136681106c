import { join } from 'node:path'
import type { Settings } from '../config/config.ts'
import { openAccountStores } from '../embedded/account-store/account-store.ts'
import { openOwnStore, startAnew } from '../embedded/database/own-store.ts'
import { openLimitExchange, paceBetweenWorkers } from '../metering/limit-exchange.ts'
import { openMachineSignals } from '../ports/driver-parts/machine-signals.ts'
import { openEgress } from '../system/egress/egress.ts'
import { openSecrets } from '../system/machine/secrets.ts'
import { openSpillFiles } from '../system/machine/spill-files.ts'
import { openSystem, type WriteLog, writeLogAs } from '../system/open-system.ts'
import { migrate } from '../tables/migrate.ts'
import { instanceSecret } from './first-run.ts'
import type { ProcessDrivers } from './process-drivers.ts'

export { startAnew, type WriteLog, writeLogAs }

/**
 * One process has the data folder to itself, so a restart under the same name need not wait for
 * its own leases to lapse.
 */
const NAME = 'embedded'

export const STORE_THREAD = new URL('./store-thread.ts', import.meta.url).href

/** The drivers of one machine: a file for the store, memory for the rest. */
export async function openEmbeddedDrivers(
  settings: Settings,
  write?: WriteLog,
): Promise<ProcessDrivers> {
  await using opened = new AsyncDisposableStack()
  const system = openSystem(write)
  const { clock, entropy, telemetry, reportBug } = system
  opened.defer(() => telemetry.flush())
  opened.defer(system.prover.close)
  const { data: folder } = settings
  const store = await openOwnStore(system, {
    folder,
    script: STORE_THREAD,
    freeBytesMin: settings.limits.diskFreeBytesMin,
    isLocal: settings.local,
    prepare: (hasStore) => instanceSecret(folder, settings.secret, entropy, hasStore),
  })
  opened.defer(() => store.database.close())
  const signals = opened.adopt(openMachineSignals(), (signals) => signals.close())
  const { workers } = settings.gateway
  const pace = paceBetweenWorkers(workers)
  const shared = { ...system, signals }
  const exchange = workers > 1 ? openLimitExchange(shared, { sender: NAME, pace }) : null
  opened.defer(() => exchange?.stop())
  const { allowPrivateDestinations: allowPrivate } = settings.webhooks
  const egress = opened.adopt(openEgress({ clock, allowPrivate, reportBug }), (egress) =>
    egress.close(),
  )
  const drivers = {
    ...system,
    name: NAME,
    exchange,
    migrate,
    accountStores: openAccountStores(folder),
    database: store.database,
    egress,
    secrets: openSecrets(store.prepared, entropy),
    signals,
    storeHealth: store.storeHealth,
    spill: openSpillFiles(join(folder, 'spill')),
  }
  const kept = opened.move()
  return { ...drivers, close: () => kept.disposeAsync() }
}

/** Enough to check a configuration: no store, and nothing written. */
export function openProbeDrivers(): Pick<
  ProcessDrivers,
  'clock' | 'entropy' | 'outbound' | 'signals' | 'sockets' | 'telemetry'
> {
  return { ...openSystem(() => {}), signals: openMachineSignals() }
}
